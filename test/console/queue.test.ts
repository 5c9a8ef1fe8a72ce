import type { OperatorRole } from '@lockstep/contract/console';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConsoleClient } from '../harness/console.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders.ts';
import { QUEUE_KINDS, type Stack, startStack } from '../harness/stack.ts';

/** The queue in the console: how many jobs there are, and bull-board behind the console's session. */

const BOARD = '/console/bull-board';

describe.each(QUEUE_KINDS)('on %s', (kind) => {
  let stack: Stack;
  let clients: Record<OperatorRole, ConsoleClient>;

  beforeAll(async () => {
    stack = await startStack({ queue: kind, worker: false });
    const [viewer, support, admin] = await Promise.all(
      (['viewer', 'support', 'admin'] as const).map((role) => ConsoleClient.logIn(stack, role)),
    );
    clients = { viewer: viewer!, support: support!, admin: admin! };
    const api = await stack.newApi();
    await api.accept(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));
  });
  afterAll(() => stack.close());

  /** Asks for something of the board, as its page does. */
  async function ask(path: string, { by, headers = {}, ...init }: RequestInit & { by?: ConsoleClient } = {}) {
    const answer = await fetch(`${stack.baseUrl}${BOARD}${path}`, {
      ...init,
      headers: { 'sec-fetch-site': 'same-origin', ...(by === undefined ? {} : { cookie: by.cookie }), ...headers },
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  }

  /** The queue as the board shows it. */
  async function readQueue(by: ConsoleClient) {
    const first = (await ask('/api/queues', { by })).body.queues[0];
    const search = new URLSearchParams({ activeQueue: first.name, status: 'waiting', page: '1', jobsPerPage: '10' });
    return (await ask(`/api/queues?${search}`, { by })).body.queues[0];
  }

  it('counts the jobs', async () => {
    // The job is added after the batch was answered.
    await vi.waitFor(
      async () =>
        expect(await clients.viewer.call('getQueue')).toEqual({
          kind,
          jobs: { waiting: 1, active: 0, delayed: 0, failed: 0, completed: 0 },
          boardPath: '/bull-board',
        }),
      { timeout: 10_000 },
    );
  });

  it('has the board, with nothing from elsewhere', async () => {
    const page = await ask('', { by: clients.viewer });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(page.text).toContain(`<base href="${BOARD}/" />`);
    expect(page.text).not.toMatch(/https?:\/\/(?!www\.w3\.org)|<%/);
    const files = [...page.text.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, file]) => `/${file}`);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect((await ask(file, { by: clients.viewer })).status).toBe(200);
    expect((await ask('/queue/any', { by: clients.viewer })).text).toBe(page.text);
    expect((await ask('/api/redis/stats', { by: clients.viewer })).status).toBe(200);
  });

  it('shows jobs, which are pointers and hold no order', async () => {
    const { jobs, counts, readOnlyMode } = await readQueue(clients.viewer);
    expect(counts).toMatchObject({ waiting: 1 });
    expect(readOnlyMode).toBe(true);
    expect(jobs[0].data).toEqual({
      type: 'drain',
      version: 1,
      lanes: [expect.any(Number)],
      throughBatchId: expect.any(String),
    });
  });

  it('is closed to whoever has no session, or comes from elsewhere', async () => {
    for (const path of ['', '/api/queues', '/static/favicon.ico'])
      expect(await ask(path)).toMatchObject({ status: 401, body: { cause: 'not_logged_in' } });
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect(await ask('/api/queues', { by: clients.admin, headers })).toMatchObject({
      status: 403,
      body: { cause: 'request_forged' },
    });
    expect(
      await ask('/api/queues/pause', { by: clients.admin, method: 'PUT', headers: { 'sec-fetch-site': '' } }),
    ).toMatchObject({ status: 403 });
  });

  it('lets a viewer and a support engineer change nothing', async () => {
    const { name } = await readQueue(clients.viewer);
    for (const by of [clients.viewer, clients.support])
      for (const path of ['/api/queues/pause', `/api/queues/${encodeURIComponent(name)}/empty`])
        expect(await ask(path, { by, method: 'PUT' })).toMatchObject({ status: 403, body: { cause: 'role_missing' } });
    expect(await readQueue(clients.viewer)).toMatchObject({ isPaused: false, counts: { waiting: 1 } });
  });

  it('lets an admin change jobs, and records it', async () => {
    const { name, jobs, readOnlyMode } = await readQueue(clients.admin);
    expect(readOnlyMode).toBe(false);
    const path = `/api/queues/${encodeURIComponent(name)}/${jobs[0].id}/clean`;
    expect((await ask(path, { by: clients.admin, method: 'PUT' })).status).toBe(204);
    expect((await readQueue(clients.admin)).counts).toMatchObject({ waiting: 0 });
    const { rows } = await sql`
      select action, target, after, operator.name from operator_record join operator on operator.id = operator_id
      where action like 'queue.%'`.execute(stack.db);
    expect(rows).toEqual([
      { action: 'queue.changed', target: path, after: { method: 'PUT', status: 204 }, name: clients.admin.login.name },
    ]);
  });
});

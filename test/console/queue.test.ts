import type { OperatorRole } from '@lockstep/contract/console';
import { QUEUE_NAME } from '@lockstep/orders';
import { createLogger, openQueueView, type QueueView, type ViewedQueue } from '@lockstep/platform';
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
  let view: QueueView;

  beforeAll(async () => {
    stack = await startStack({ queue: kind, worker: false });
    view = openQueueView(stack.queue, QUEUE_NAME, createLogger({ name: 'test', level: 'silent' }));
    const [viewer, support, admin] = await Promise.all(
      (['viewer', 'support', 'admin'] as const).map((role) => ConsoleClient.logIn(stack, role)),
    );
    clients = { viewer: viewer!, support: support!, admin: admin! };
    const api = await stack.newApi();
    await api.accept(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));
    // An order is accepted whether or not its job is in the queue yet.
    await vi.waitFor(async () => expect(await view.countJobs()).toMatchObject({ waiting: 1 }), { timeout: 20_000 });
  });
  afterAll(async () => {
    await view.close();
    await stack.close();
  });

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
          jobs: { waiting: 1, paused: 0, active: 0, delayed: 0, failed: 0, completed: 0 },
          isPaused: false,
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

  it('answers HEAD, and has no address of the console', async () => {
    for (const path of ['', '/queue/any', '/static/favicon.ico', '/api/queues'])
      expect(await ask(path, { by: clients.viewer, method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect((await ask('/api/queues', { method: 'HEAD' })).status).toBe(401);
    expect((await ask('/any', { by: clients.viewer })).status).toBe(404);
  });

  it('gives its page to whoever has the address, from wherever', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    for (const path of ['', '/queue/any', '/static/favicon.ico'])
      expect((await ask(path, { headers })).status).toBe(200);
  });

  it('is closed to whoever has no session, or comes from elsewhere', async () => {
    for (const path of ['/api/queues', '/api/redis/stats'])
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
      for (const path of ['/api/queues/pause', `/api/queues/${encodeURIComponent(name)}/promote`])
        expect(await ask(path, { by, method: 'PUT' })).toMatchObject({ status: 403, body: { cause: 'role_missing' } });
    expect(await readQueue(clients.viewer)).toMatchObject({ isPaused: false, counts: { waiting: 1 } });
  });

  /** What an operator did to the queue, the first thing first. */
  async function recordOf({ login }: ConsoleClient) {
    const { rows } = await sql<{ action: string; target: string; after: object }>`
      select action, target, after from operator_record join operator on operator.id = operator_id
      where action like 'queue.%' and operator.name = ${login.name} order by operator_record.id`.execute(stack.db);
    return rows;
  }

  /** An admin of its own, with an empty record, who changes something. */
  async function change(path: string, init: RequestInit = { method: 'PUT' }) {
    const admin = await ConsoleClient.logIn(stack, 'admin');
    const answer = await ask(path, { by: admin, ...init });
    return { answer, record: await recordOf(admin) };
  }

  /** Works with the queue as no operator can. */
  const prepare = <Result>(work: (queue: ViewedQueue) => Promise<Result>) => view.use(work);

  it('lets an admin pause the queue and resume it, shows that it is paused, and records both', async () => {
    expect((await readQueue(clients.admin)).readOnlyMode).toBe(false);
    const paused = await change('/api/queues/pause');
    expect(paused.answer.status).toBe(200);
    const asked = { method: 'PUT', queue: null, jobId: null, body: null };
    expect(paused.record).toEqual([
      { action: 'queue.change_asked', target: '/api/queues/pause', after: asked },
      { action: 'queue.changed', target: '/api/queues/pause', after: { ...asked, status: 200 } },
    ]);
    expect(await clients.viewer.call('getQueue')).toMatchObject({ isPaused: true, jobs: { waiting: 0, paused: 1 } });
    const queueCheck = async () => {
      const { checks } = await clients.viewer.call('getOverview', { query: { span: '1h' } });
      return checks.find(({ check }) => check === 'queue');
    };
    await vi.waitFor(
      async () => expect(await queueCheck()).toMatchObject({ state: 'warning', names: [kind, 'paused'] }),
      { timeout: 20_000 },
    );
    await change('/api/queues/resume');
    expect(await clients.viewer.call('getQueue')).toMatchObject({ isPaused: false, jobs: { waiting: 1, paused: 0 } });
  });

  it('lets an admin begin a delayed job, and records which', async () => {
    const { name } = await readQueue(clients.admin);
    const { id } = await prepare((queue) => queue.add('drain', {}, { delay: 3_600_000 }));
    const path = `/api/queues/${encodeURIComponent(name)}/${id}/promote`;
    const body = JSON.stringify({ why: 'it waits' });
    const { answer, record } = await change(path, {
      method: 'PUT',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(204);
    const asked = { method: 'PUT', queue: name, jobId: id, body: { why: 'it waits' } };
    expect(record).toEqual([
      { action: 'queue.change_asked', target: path, after: asked },
      { action: 'queue.changed', target: path, after: { ...asked, status: 204 } },
    ]);
    expect(await prepare((queue) => queue.getJobState(id!))).toBe('waiting');
    await prepare((queue) => queue.remove(id!));
  });

  it('lets an admin try failed jobs again and remove them', async () => {
    const path = `/api/queues/${encodeURIComponent((await readQueue(clients.admin)).name)}`;
    expect((await change(`${path}/retry/failed`)).answer).toMatchObject({ status: 200, body: { retried: 0 } });
    expect((await change(`${path}/clean/failed`)).answer.status).toBe(200);
  });

  it('records also what could not be changed, or may have been', async () => {
    const { name, jobs } = await readQueue(clients.admin);
    const path = `/api/queues/${encodeURIComponent(name)}/${jobs[0].id}`;
    const refused = await change(`${path}/retry`);
    expect(refused.answer.status).toBe(400);
    expect(refused.record.map(({ action }) => action)).toEqual(['queue.change_asked', 'queue.change_failed']);
    const broken = await change(`${path}/promote`);
    expect(broken.answer).toMatchObject({ status: 503, body: { cause: 'service_unavailable' } });
    expect(broken.record.map(({ action }) => action)).toEqual(['queue.change_asked', 'queue.change_unknown']);
  });

  it('changes nothing that it cannot record', async () => {
    await sql`
      create function refuse_record() returns trigger language plpgsql as $$ begin raise 'full'; end $$;
      create trigger refuse before insert on operator_record for each row when (new.action like 'queue.%')
        execute function refuse_record()`.execute(stack.db);
    const { answer } = await change('/api/queues/pause');
    await sql`drop trigger refuse on operator_record`.execute(stack.db);
    expect(answer.status).toBe(503);
    expect((await readQueue(clients.viewer)).isPaused).toBe(false);
  });

  it('has nothing that no operator needs', async () => {
    const { name, jobs } = await readQueue(clients.admin);
    const path = `/api/queues/${encodeURIComponent(name)}`;
    const job = `${path}/${jobs[0].id}`;
    const refused = [
      ['POST', `${path}/add`],
      ['PATCH', `${job}/update-data`],
      ['PATCH', `${job}/delay`],
      ['PATCH', `${job}/priority`],
      ['PUT', `${job}/clean`],
      ['PUT', `${path}/clean/waiting`],
      ['PUT', `${path}/retry/completed`],
      ['PUT', `${path}/empty`],
      ['PUT', `${path}/obliterate`],
      ['PUT', `${path}/concurrency`],
      ['PUT', `${path}/rate-limit`],
      ['PUT', `${path}/rate-limit/release`],
      ['PUT', `${path}/job-schedulers/1/remove`],
      ['PUT', `${path}/job-schedulers/1/run`],
      ['PATCH', `${path}/job-schedulers/1`],
      ['POST', '/api/metrics/history/purge'],
    ] as const;
    for (const [method, each] of refused) {
      const { answer, record } = await change(each, { method });
      // A path that can be read is not there for changes.
      expect({ method, each, isThere: ![404, 405].includes(answer.status) }).toEqual({ method, each, isThere: false });
      expect(record).toEqual([]);
    }
    const shown = await readQueue(clients.admin);
    expect(shown).toMatchObject({
      counts: { waiting: 1 },
      supportsGlobalRateLimit: false,
      allowCompletedRetries: false,
    });
  });
});

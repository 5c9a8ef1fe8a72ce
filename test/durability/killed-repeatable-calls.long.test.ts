import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Answer, dataOf } from '../harness/api.ts';
import { untilDisconnected } from '../harness/databases/waiting.ts';
import { countHandedOut } from '../harness/orders/asset-numbers.ts';
import { untilOneWaits, whileHeld } from '../harness/orders/sync-batches.ts';
import { testDeployment } from '../harness/processes/deployment.ts';

describe('a call with an Idempotency-Key, whose process is killed', async () => {
  const { database, api, processes } = await testDeployment({ workers: 0 });
  const { db } = database;
  const countWebhooks = async () => (await db.selectFrom('webhook').select('id').execute()).length;

  const OPERATIONS = [
    {
      send: (headers: Record<string, string>) =>
        api.ask('createWebhook', { body: { url: 'https://1.1.1.1/hook' }, headers }),
      count: countWebhooks,
      table: 'webhook',
      event: 'insert',
    },
    {
      send: (headers: Record<string, string>) => api.ask('takeAssetNumbers', { body: { size: 1 }, headers }),
      count: () => countHandedOut(db, 8),
      table: 'asset_number',
      event: 'update',
    },
  ] as const;

  it.each(
    OPERATIONS.flatMap(({ table, event, ...call }) => [
      { when: `after its change of ${table}`, ...call, held: ['insert', { table, event }] as const, stored: 0 },
      {
        when: `in the commit of its change of ${table}`,
        ...call,
        held: ['commit', { table: 'kept_answer', event: 'update' }] as const,
        stored: 1,
      },
    ]),
  )('$when, has taken effect $stored times, and once after repeats', async ({ send, count, held, stored }) => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const before = await count();
    const [moment, what] = held;
    let broken: Promise<Answer | Error> | undefined;
    await whileHeld(
      db,
      moment,
      async () => {
        broken = send(headers).catch((error: Error) => error);
        await untilOneWaits(db);
        await processes[0]!.kill();
      },
      what,
    );
    expect(await broken).toBeInstanceOf(TypeError);
    await untilDisconnected(db, 'lockstep-%');
    expect(await count()).toBe(before + stored);
    const { rows: kept } = await sql`select from kept_answer where sealed is null`.execute(db);
    expect(kept).toEqual([]);
    await processes[0]!.start();
    const answers = [dataOf(await send(headers)), dataOf(await send(headers))];
    expect(answers[1]).toEqual(answers[0]);
    expect(await count()).toBe(before + 1);
  });
});

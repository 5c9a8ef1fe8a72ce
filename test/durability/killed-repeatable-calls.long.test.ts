import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Answer, dataOf } from '../harness/api.ts';
import { untilDisconnected } from '../harness/databases/waiting.ts';
import { untilOneWaits, whileHeld } from '../harness/orders/sync-batches.ts';
import { testDeployment } from '../harness/processes/deployment.ts';

describe('a call with an Idempotency-Key, whose process is killed', async () => {
  const { database, api, processes } = await testDeployment({ workers: 0 });
  const { db } = database;
  const listWebhooks = () => db.selectFrom('webhook').select('id').execute();

  it.each([
    { when: 'after its change', moment: 'insert', held: { table: 'webhook' }, stored: 0 },
    { when: 'in the commit', moment: 'commit', held: { table: 'kept_answer', event: 'update' }, stored: 1 },
  ] as const)('$when, has taken effect $stored times, and once after repeats', async ({ moment, held, stored }) => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const create = () => api.ask('createWebhook', { body: { url: 'https://1.1.1.1/hook' }, headers });
    const before = (await listWebhooks()).length;
    let broken: Promise<Answer | Error> | undefined;
    const kill = async () => {
      broken = create().catch((error: Error) => error);
      await untilOneWaits(db);
      await processes[0]!.kill();
    };
    await whileHeld(db, moment, kill, held);
    expect(await broken).toBeInstanceOf(TypeError);
    await untilDisconnected(db, 'lockstep-%');
    expect(await listWebhooks()).toHaveLength(before + stored);
    expect((await sql`select from kept_answer where sealed is null`.execute(db)).rows).toEqual([]);
    await processes[0]!.start();
    const answers = [dataOf(await create()), dataOf(await create())];
    expect(answers[1]).toEqual(answers[0]);
    expect(await listWebhooks()).toHaveLength(before + 1);
  });
});

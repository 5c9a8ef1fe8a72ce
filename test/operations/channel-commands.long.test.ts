import { lockLanes } from '@lockstep/orders/testing';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { refusalOf } from '../harness/api.ts';
import { firstLaneOf } from '../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { readResult, syncOf } from '../harness/orders/sync-batches.ts';
import { COMMAND, objectsIn, TIME, tableIn } from '../harness/processes/command-line.ts';
import { type Ended, endEverything, newDataDir, runJob } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

/** The commands that show, pause and resume channels (rules 9), as processes. */

const { stack, api } = await testStack();
const customer = await api.newCustomer();
const other = await api.newCustomer(undefined, 'other');
await stack.db.insertInto('channel').values({ code: 'empty' }).execute();
afterAll(() => endEverything());

const channel = (...words: string[]): Promise<Ended> =>
  runJob([...COMMAND, 'channel', ...words], { DATABASE_URL: stack.url, DATA_DIR: newDataDir() });
const pause = (code: string) => channel('pause', code, '--reason', 'ticket 4711');
/** What a command ends with that prints the code of its channel, or nothing, and on standard error this. */
const said = (status: number, code: string, stderr: unknown = '') => {
  const stdout = code === '' ? '' : expect.stringMatching(new RegExp(`\\b${code}\\b.*\\n$`));
  return { status, signal: null, stdout, stderr };
};
const ONE_LINE = expect.stringMatching(/^.+\n$/);
const PAUSED_BEFORE = expect.stringMatching(new RegExp(`^.* ${TIME}.*\\n$`));

/** Reads the entries of a channel in the audit log. */
const readAuditLog = (target: string) =>
  stack.db.selectFrom('operator_audit').select(['action', 'after']).where('target', '=', target).execute();

it.concurrent('a channel without customers is shown, paused and resumed; a no-op is reported, but not recorded', async () => {
  const shown = await channel('show', 'empty');
  expect(shown).toMatchObject({ status: 0, stderr: '' });
  expect(shown.stdout).toMatch(/^channel +empty\nstate +current\npending +0\nheld +0\n/);
  expect(await channel('resume', 'empty')).toEqual(said(0, 'empty', ONE_LINE));
  expect(await pause('empty')).toEqual(said(0, 'empty'));
  expect(await pause('empty')).toEqual(said(0, 'empty', PAUSED_BEFORE));
  expect(await channel('resume', 'empty')).toEqual(said(0, 'empty'));
  expect(await readAuditLog('empty')).toMatchObject([{ action: 'channel.paused' }, { action: 'channel.resumed' }]);
});

it.concurrent.each(['show', 'pause', 'resume'])(
  '%s of an unknown channel fails, and nothing is recorded',
  async (verb) => {
    const stderr = expect.stringMatching(/^lockstep: .+\n$/);
    expect(await (verb === 'pause' ? pause('nowhere') : channel(verb, 'nowhere'))).toEqual(said(4, '', stderr));
    expect(await readAuditLog('nowhere')).toEqual([]);
  },
);

it.concurrent('lists of thousands of channels are bounded and sorted', async () => {
  const CHANNELS = 3_000;
  await sql`
    insert into channel (code) select 'one of ' || to_char(n, 'FM0000')
    from generate_series(1, ${CHANNELS}) n`.execute(stack.db);
  const list = await channel('list');
  expect(list).toMatchObject({ status: 0, stderr: expect.stringMatching(/--limit 100.*--all/) });
  expect(tableIn(list.stdout, 'channel')).toHaveLength(50);
  const all = await channel('list', '--all', '--json');
  expect(all).toMatchObject({ status: 0, stderr: '' });
  const numbered = Array.from({ length: CHANNELS }, (_, n) => `one of ${String(n + 1).padStart(4, '0')}`);
  expect(objectsIn(all.stdout).map(({ channelCode }) => channelCode)).toEqual(['empty', ...numbered, 'other', 'test']);
  const found = await channel('list', '--search', 'OF 2999', '--json');
  expect(objectsIn(found.stdout)).toMatchObject([{ channelCode: 'one of 2999', state: 'current', pendingOrders: 0 }]);
});

it.concurrent('a pause that earlier work outlasts ends with status 1, holds and is recorded; the same command waits again', async () => {
  const session = await stack.db.startTransaction().execute();
  const waiting = batchOf(newBuy(customer, [newAssetNum()]));
  try {
    await lockLanes(session, [firstLaneOf(customer.customerId)]);
    expect(await pause('test')).toEqual(said(1, '', expect.stringMatching(/^lockstep: .*\btest\b.*\n$/)));
    const after = { isPaused: true, reason: 'ticket 4711' };
    expect(await readAuditLog('test')).toEqual([{ action: 'channel.paused', after }]);
    expect(refusalOf(await api.submit(syncOf(newBuy(customer, [newAssetNum()])))).cause).toBe('channel_paused');
    await api.accept(waiting);
  } finally {
    await session.rollback().execute();
  }
  expect(await pause('test')).toEqual(said(0, 'test', PAUSED_BEFORE));
  await api.process(batchOf(newBuy(other, [newAssetNum()])));
  expect(await readResult(api, waiting)).toMatchObject({ pending: 1 });
  expect(await readAuditLog('test')).toHaveLength(1);

  expect(await channel('resume', 'test')).toEqual(said(0, 'test'));
  expect(await api.completed(waiting)).toMatchObject({ succeeded: 1 });
});

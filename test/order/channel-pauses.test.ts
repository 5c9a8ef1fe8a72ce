import { pauseChannel, resumeChannel } from '@lockstep/orders';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { lockLanes } from '../../packages/orders/src/lane-locks.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { countWaiting } from '../harness/waiting.ts';

/** Channels whose orders wait for an operator (rules 6.2 and 9). */
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  await (await stack.newApi()).newCustomer();
});
afterAll(() => stack.close());

const record = vi.fn(async () => {});
const readChannel = () =>
  stack.db.selectFrom('channel').selectAll().where('code', '=', 'test').executeTakeFirstOrThrow();

it('a pause holds at once, and returns when what began before has ended', async () => {
  const { id } = await readChannel();
  const drain = await stack.db.startTransaction().execute();
  await lockLanes(drain, [id * 16 + 7]);
  const pausing = pauseChannel(stack.db, 'test', record);
  await vi.waitUntil(async () => (await countWaiting(stack.db, 'advisory')) === 1);
  expect(await readChannel()).toMatchObject({ paused_time: expect.any(Date) });
  await drain.commit().execute();
  expect(await pausing).toEqual({ pausedTime: expect.any(Number), wasSo: false, isStill: true });
});

it('to pause what is paused, or resume what is not, changes and records nothing', async () => {
  const { paused_time } = await readChannel();
  record.mockClear();
  expect(await pauseChannel(stack.db, 'test', record)).toMatchObject({
    ...{ pausedTime: paused_time!.getTime(), wasSo: true },
    isStill: true,
  });
  expect(await resumeChannel(stack.db, 'test', record)).toEqual({ pausedTime: null, wasSo: false });
  expect(await resumeChannel(stack.db, 'test', record)).toEqual({ pausedTime: null, wasSo: true });
  expect(record).toHaveBeenCalledTimes(1);
  expect(await pauseChannel(stack.db, 'nowhere', record)).toBeUndefined();
});

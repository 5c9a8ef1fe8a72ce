import { dataOf } from '../harness/api.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders.ts';
import type { Sender } from './senders.ts';
import type { Probed } from './start-probe.ts';

/** A call begins after so long, whatever became of those before it; the kinds take turns. */
const CALL_EVERY_MS = 25;

/** The calls of an application that sends little, each until what it asked for is there. */
const CALLS = {
  batch: ({ caller }: Sender, order: NewOrder) => caller.process(batchOf(order(), order())),
  sync: ({ caller }: Sender, order: NewOrder) => caller.carryOut(order()),
  poll: async ({ caller }: Sender, _: NewOrder, channelOrderId: string) =>
    dataOf(await caller.ask('getBatchResult', { query: { channelCode: 'test', channelOrderId } })),
  preview: ({ caller }: Sender, order: NewOrder) => caller.preview(batchOf(order())),
};

type NewOrder = () => ReturnType<typeof newBuy>;
export type CallKind = keyof typeof CALLS;
export const CALL_KINDS = Object.keys(CALLS) as CallKind[];

/**
 * Sends small batches of two orders, sync calls, polls and previews while `work` runs, ten of each kind a second. Returns how long
 * each call took: a batch from sending it until it is known to be completed.
 */
export async function callMeanwhile<Result>(
  sender: Sender,
  work: () => Promise<Result>,
): Promise<{ result: Result; calls: Record<CallKind, Probed> }> {
  let sent = 0;
  const newOrder = () => newBuy(sender.customers[sent++ % sender.customers.length]!, [newAssetNum()]);
  // Sync, because the workers may be held.
  const completed = { ...batchOf(newOrder()), syncMode: 'sync' };
  await sender.caller.accept(completed);
  const calls = Object.fromEntries(CALL_KINDS.map((kind) => [kind, { times: [], refused: 0 }])) as never as Record<
    CallKind,
    Probed
  >;
  const call = async (kind: CallKind) => {
    const startedMs = performance.now();
    try {
      await CALLS[kind](sender, newOrder, completed.channelOrderId);
    } catch {
      calls[kind].refused++;
    }
    calls[kind].times.push(performance.now() - startedMs);
  };
  const running: Promise<void>[] = [];
  const timer = setInterval(() => {
    running.push(call(CALL_KINDS[running.length % CALL_KINDS.length]!));
  }, CALL_EVERY_MS);
  try {
    const result = await work();
    return { result, calls };
  } finally {
    clearInterval(timer);
    await Promise.all(running);
  }
}

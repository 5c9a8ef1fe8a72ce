import { dataOf } from '../../harness/api.ts';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import type { Sender } from './senders.ts';
import type { Probed } from './start-probe.ts';

/** Calls begin at this interval, whether or not earlier ones have been answered. Kinds take turns. */
const CALL_EVERY_MS = 25;

/** An application with little traffic, and one of its completed batches to poll. */
interface Neighbor extends Sender {
  completed: ReturnType<typeof batchOf>;
}

/** The calls of an application with little traffic. Each lasts until its result is available. */
const CALLS = {
  batch: ({ caller }: Neighbor, order: NewOrder) => caller.process(batchOf(order(), order())),
  sync: ({ caller }: Neighbor, order: NewOrder) => caller.carryOut(order()),
  poll: async ({ caller, completed: { channelCode, channelOrderId } }: Neighbor) =>
    dataOf(await caller.ask('getBatchResult', { query: { channelCode, channelOrderId } })),
  preview: ({ caller }: Neighbor, order: NewOrder) => caller.preview(batchOf(order())),
};

type NewOrder = () => ReturnType<typeof newBuy>;
export type CallKind = keyof typeof CALLS;
export const CALL_KINDS = Object.keys(CALLS) as CallKind[];

/** Sends an application's first batch and waits until it is completed. */
export async function prepareNeighbor(sender: Sender): Promise<Neighbor> {
  const completed = batchOf(newBuy(sender.customers[0]!, [newAssetNum()]));
  await sender.caller.process(completed);
  return { ...sender, completed };
}

/**
 * Sends small batches of two orders, sync calls, polls and previews while `work` runs, ten of each kind a second.
 * Returns how long each took. A batch takes from its call until the client knows that it is completed.
 */
export async function callMeanwhile<Result>(
  neighbor: Neighbor,
  work: () => Promise<Result>,
): Promise<{ result: Result; calls: Record<CallKind, Probed> }> {
  let sent = 0;
  const newOrder = () => newBuy(neighbor.customers[sent++ % neighbor.customers.length]!, [newAssetNum()]);
  const calls = Object.fromEntries(CALL_KINDS.map((kind) => [kind, { times: [], refused: 0 }])) as never as Record<
    CallKind,
    Probed
  >;
  const call = async (kind: CallKind) => {
    const startedMs = performance.now();
    try {
      await CALLS[kind](neighbor, newOrder);
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

import { type History, type HistoryBatch, type HistoryOrder, numbersOf, sourcesOf } from './history.ts';

/**
 * Splits a history into steps for a service in which orders of different customers don't wait for each other (rules
 * 6.2).
 *
 * The result of conflicting async orders of two customers is therefore unspecified, so the driver waits for one before
 * it sends the other. Two orders conflict if they name the same number, or if one is the other's source order.
 */

/** Whether orders of two batches conflict. With `ofOthers`, only orders of different customers count. */
export function conflict(one: readonly HistoryOrder[], other: readonly HistoryOrder[], ofOthers = false): boolean {
  return one.some((a) => {
    const numbers = new Set(numbersOf(a));
    const sources = new Set(sourcesOf(a));
    return other.some(
      (b) =>
        (!ofOthers || a.customer !== b.customer) &&
        (sources.has(b.place) || sourcesOf(b).includes(a.place) || numbersOf(b).some((number) => numbers.has(number))),
    );
  });
}

/**
 * Returns the batches to send. Splits an async batch in which customers conflict into parts in which they don't. Parts
 * follow the sequence, so they have the effect of the batch.
 */
function stepsOf({ batches }: History): HistoryBatch[] {
  return batches.flatMap((batch) => (batch.mode === 'sync' ? [batch] : partsOf(batch)));
}

function partsOf(batch: HistoryBatch): HistoryBatch[] {
  const { orders, sender, events = [], race, isLate = false } = batch;
  const parts: HistoryOrder[][] = [];
  for (const order of orders.toSorted((a, b) => a.sequence - b.sequence)) {
    const part = parts.at(-1);
    if (part === undefined || conflict(part, [order], true)) parts.push([order]);
    else part.push(order);
  }
  // Keep the order of orderList, which differs from the sequence.
  return parts.map((part, index) => ({
    mode: 'async',
    sender,
    ...(index === 0 && { events }),
    ...(race && { race }),
    isLate: isLate && index === 0,
    orders: part.toSorted((a, b) => a.place - b.place),
    ...(index === 0 && sharesNumber(orders) && { whole: batch }),
  }));
}

/** Whether orders of two customers name the same number, so that the service refuses an async batch (rules 6.1). */
function sharesNumber(orders: readonly HistoryOrder[]): boolean {
  const customers = new Map<string, string>();
  return orders.some((order) =>
    numbersOf(order).some((number) => {
      const first = customers.get(number) ?? order.customer;
      customers.set(number, first);
      return first !== order.customer;
    }),
  );
}

/** Whether the contact of a customer depends on which of two batches is accepted first. */
function shareCustomer(one: readonly HistoryOrder[], other: readonly HistoryOrder[]): boolean {
  const customers = new Set(one.map(({ customer }) => customer));
  return other.some(({ customer }) => customers.has(customer));
}

/** Groups the batches into waves of at most `size` that don't conflict, to be sent concurrently. */
export function wavesOf(history: History, size: number): HistoryBatch[][] {
  const waves: HistoryBatch[][] = [];
  for (const step of stepsOf(history)) {
    const wave = waves.at(-1);
    const isFull = wave === undefined || wave.length === size || wave[0]!.race !== undefined || step.race !== undefined;
    if (
      isFull ||
      step.isLate ||
      step.events?.length ||
      wave.some(({ orders }) => conflict(orders, step.orders) || shareCustomer(orders, step.orders))
    )
      waves.push([step]);
    else wave.push(step);
  }
  return waves;
}

import { type History, type HistoryBatch, type HistoryOrder, numbersOf, sourcesOf } from './history.ts';

/**
 * How a history is sent to a service that lets no order of one customer wait for another customer's (rules 6.2).
 *
 * What happens when async orders of two customers meet is then open, so the driver has to see to it that one is done
 * before the other is sent. Two orders meet where they name the same number, or one names the other as source order.
 */

/** Whether orders of the two batches meet; `ofOthers` looks at those of different customers only. */
export function meet(one: readonly HistoryOrder[], other: readonly HistoryOrder[], ofOthers = false): boolean {
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
 * The batches to be sent: those of the history, but async batches where customers meet in parts where none do. Parts
 * follow the sequence, so they do what the batch would have done.
 */
function stepsOf({ batches }: History): HistoryBatch[] {
  return batches.flatMap((batch) => (batch.mode === 'sync' ? [batch] : partsOf(batch)));
}

function partsOf(batch: HistoryBatch): HistoryBatch[] {
  const { orders, sender, events = [], isLate = false } = batch;
  const parts: HistoryOrder[][] = [];
  for (const order of orders.toSorted((a, b) => a.sequence - b.sequence)) {
    const part = parts.at(-1);
    if (part === undefined || meet(part, [order], true)) parts.push([order]);
    else part.push(order);
  }
  // orderList keeps its order, which is not that of the sequence.
  return parts.map((part, index) => ({
    mode: 'async',
    sender,
    ...(index === 0 && { events }),
    isLate: isLate && index === 0,
    orders: part.toSorted((a, b) => a.place - b.place),
    ...(index === 0 && sharesNumber(orders) && { whole: batch }),
  }));
}

/** Whether orders of two customers name one number: as an async batch they are refused (rules 6.1). */
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

/** The batches in waves of up to `size`, whose batches do not meet at all and may be sent at once. */
export function wavesOf(history: History, size: number): HistoryBatch[][] {
  const waves: HistoryBatch[][] = [];
  for (const step of stepsOf(history)) {
    const wave = waves.at(-1);
    const isFull = wave === undefined || wave.length === size;
    if (isFull || step.isLate || step.events?.length || wave.some(({ orders }) => meet(orders, step.orders)))
      waves.push([step]);
    else wave.push(step);
  }
  return waves;
}

import type { BenchProcess } from '../bench-process.ts';
import type { Figures } from '../measures/measure.ts';
import type { Machine } from './machine.ts';
import { readProcessorTime } from './processor-time.ts';

/** Starts measuring resource usage. The returned function returns the usage of each order since. */
export async function startMeter(
  machine: Machine,
  processes: Record<string, readonly BenchProcess[]>,
): Promise<(orders: number, loadMicros?: number) => Promise<Figures>> {
  const read = () =>
    Object.entries(processes).map(([name, each]) => [name, readProcessorTime(each.map(({ pid }) => pid))] as const);
  const before = await machine.readUsage();
  const ownBefore = new Map(read());
  return async (orders, loadMicros = 0) => {
    const after = await machine.readUsage();
    const own = read().map(([name, micros]) => [`${name} µs`, (micros - ownBefore.get(name)!) / orders] as const);
    return {
      ...Object.fromEntries(own),
      'PostgreSQL µs': (after.postgresMicros - before.postgresMicros) / orders,
      'Redis µs': (after.redisMicros - before.redisMicros) / orders,
      'load µs': loadMicros / orders,
      'WAL bytes': (after.walBytes - before.walBytes) / orders,
    };
  };
}

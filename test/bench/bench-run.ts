import type { Bench } from './measures/measure.ts';
import { Machine } from './report/machine.ts';

/** Options of every benchmark that runs in rounds, for `parseArgs`. */
export const RUN_OPTIONS = {
  rounds: { type: 'string', default: '3' },
  /** A small run, to check that the benchmark works. */
  quick: { type: 'boolean', default: false },
  /** File to write the figures to. */
  json: { type: 'string' },
} as const;

const QUICK_SCALE = 0.02;

/** Prints a line of the report. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Starts the servers, calls `measure` once, and stops the servers, even if the run fails or is interrupted. */
export async function withBench<Found>(
  { rounds, quick, large = false }: { rounds: string; quick: boolean; large?: boolean },
  measure: (bench: Bench, rounds: number) => Promise<Found>,
): Promise<Found> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const machine = await Machine.start();
  try {
    return await measure(
      { machine, scale: quick ? QUICK_SCALE : 1, large, kept: new Map() },
      quick ? 1 : Number(rounds),
    );
  } finally {
    await machine.stop();
  }
}

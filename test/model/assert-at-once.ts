import fc from 'fast-check';

interface Options extends Pick<fc.Parameters, 'seed' | 'path'> {
  numRuns: number;
  /** Concurrent runs. */
  atOnce: number;
  /** Splits the runs into rounds of `runs`. Calls `start` before each round, while no run is in flight. */
  rounds: { runs: number; start: () => Promise<void> };
}

/** Time limit for shrinking a failing run. */
const MAX_SHRINK_MS = 60_000;

/**
 * `fc.assert` with concurrent runs. Repeats a failing run alone to shrink it, and reports its seed and path. With a
 * path, repeats only that run.
 */
export async function assertAtOnce<Value>(
  arbitrary: fc.Arbitrary<Value>,
  run: (value: Value) => Promise<void>,
  options: Options,
): Promise<void> {
  const { numRuns, atOnce, rounds } = options;
  let { seed = Math.floor(Math.random() * 2 ** 31) } = options;
  const alone = (path: string) => {
    const limits = { interruptAfterTimeLimit: MAX_SHRINK_MS, includeErrorInReport: true };
    return fc.assert(fc.asyncProperty(arbitrary, run), { seed, path, ...limits });
  };
  if (options.path !== undefined) {
    await rounds.start();
    return await alone(options.path);
  }
  for (let left = numRuns; left > 0; left -= rounds.runs, seed++) {
    await rounds.start();
    const values = fc.sample(arbitrary, { seed, numRuns: Math.min(left, rounds.runs) });
    const failure = await firstFailure(values, run, atOnce);
    if (failure === null) continue;
    const { index, error } = failure;
    await alone(String(index));
    const where = `{ seed: ${seed}, path: "${index}" }`;
    throw new Error(`Fails only with concurrent runs: ${where}: ${fc.stringify(values[index])}: ${error}`, {
      cause: error,
    });
  }
}

/** Runs the values concurrently until one fails. Returns the first failure, or null. */
async function firstFailure<Value>(values: readonly Value[], run: (value: Value) => Promise<void>, atOnce: number) {
  let failure: { index: number; error: unknown } | null = null;
  const pending = values.entries();
  const runPending = async () => {
    for (const [index, value] of pending) {
      if (failure !== null) return;
      await run(value).catch((error) => {
        failure ??= { index, error };
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runPending));
  return failure as { index: number; error: unknown } | null;
}

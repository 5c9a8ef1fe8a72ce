import fc from 'fast-check';

interface Options extends Pick<fc.Parameters, 'seed' | 'path'> {
  numRuns: number;
  /** Runs at the same time. */
  atOnce: number;
  /** The runs go in rounds of so many; `start` is called before each, while none is on its way. */
  rounds: { runs: number; start: () => Promise<void> };
}

/** How long a failing run is made smaller. */
const MAX_SHRINK_MS = 60_000;

/**
 * `fc.assert` with many runs at the same time. A run that fails is repeated on its own, to be made smaller; the report
 * names the seed and the path that lead to it. With a path only that run is carried out.
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
    throw new Error(`It fails beside others only: ${where}: ${fc.stringify(values[index])}: ${error}`, {
      cause: error,
    });
  }
}

/** Runs the values, so many at the same time, until one fails or all are through. */
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

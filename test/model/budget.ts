/**
 * The runs of a property over histories: so many by default, as many as LOCKSTEP_HISTORIES says where it is set.
 * LOCKSTEP_SEED and LOCKSTEP_PATH replay what a failure printed.
 */
export function budget(defaultHistories: number): { numRuns: number; seed?: number; path?: string } {
  const { LOCKSTEP_HISTORIES, LOCKSTEP_SEED, LOCKSTEP_PATH } = process.env;
  return {
    numRuns: LOCKSTEP_HISTORIES ? Number(LOCKSTEP_HISTORIES) : defaultHistories,
    ...(LOCKSTEP_SEED && { seed: Number(LOCKSTEP_SEED) }),
    ...(LOCKSTEP_PATH && { path: LOCKSTEP_PATH }),
  };
}

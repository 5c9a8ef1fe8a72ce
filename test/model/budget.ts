/**
 * Options of fast-check for properties over histories. LOCKSTEP_HISTORIES overrides the number of runs; LOCKSTEP_SEED
 * and LOCKSTEP_PATH replay a reported failure.
 */
export function budget(defaultHistories: number): { numRuns: number; seed?: number; path?: string } {
  const { LOCKSTEP_HISTORIES, LOCKSTEP_SEED, LOCKSTEP_PATH } = process.env;
  return {
    numRuns: LOCKSTEP_HISTORIES ? Number(LOCKSTEP_HISTORIES) : defaultHistories,
    ...(LOCKSTEP_SEED && { seed: Number(LOCKSTEP_SEED) }),
    ...(LOCKSTEP_PATH && { path: LOCKSTEP_PATH }),
  };
}

import type { SearchHit } from '@lockstep/contract/console';

/** The one thing that a text names in full, where there is nothing else that it may mean. */
export function findSoleHit(hits: readonly SearchHit[], text: string): SearchHit | undefined {
  const [hit, ...others] = hits;
  return hit !== undefined && others.length === 0 && (hit.id === text || hit.name === text) ? hit : undefined;
}

import type { Overview } from '@lockstep/contract/console';

type Pieces = Overview['pieces'];

/** How many orders there were in all pieces of a span. */
export function sumOf(pieces: Pieces, count: 'accepted' | 'succeeded' | 'failed'): number {
  return pieces.reduce((sum, piece) => sum + piece[count], 0);
}

import type { Overview } from '@lockstep/contract/console';

type Pieces = Overview['pieces'];
type Count = 'accepted' | 'succeeded' | 'failed';

const MILLISECONDS = 1_000;
/** A piece that has only just begun says too little of a second. */
const LEAST_PART = 0.25;

/** How many orders a second there were in each piece; null for the last one while it has only just begun. */
export function perSecond(pieces: Pieces, key: Count, pieceSeconds: number, time: number): (number | null)[] {
  return pieces.map((piece) => {
    const seconds = Math.min(pieceSeconds, (time - piece.startTime) / MILLISECONDS);
    return seconds < pieceSeconds * LEAST_PART ? null : piece[key] / seconds;
  });
}

/** How many orders there were in all pieces. */
export function sumOf(pieces: Pieces, key: Count): number {
  return pieces.reduce((sum, piece) => sum + piece[key], 0);
}

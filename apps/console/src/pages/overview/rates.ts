import type { Overview } from '@lockstep/contract/console';

type Pieces = Overview['pieces'];
type When = Pick<Overview, 'pieceSeconds' | 'time'>;
type Count = 'accepted' | 'succeeded' | 'failed';

const MILLISECONDS = 1_000;
/** The units of time by which orders are counted, and their words. */
const UNITS = [
  { seconds: 1, word: 'aSecond' },
  { seconds: 60, word: 'aMinute' },
  { seconds: 3_600, word: 'anHour' },
] as const;
type Unit = (typeof UNITS)[number];
/** A piece that has only just begun says too little of a second. */
const LEAST_PART = 0.25;

/** How many orders there were in each piece, by a unit of time; null for the last one while it has only just begun. */
export function perUnit(pieces: Pieces, key: Count, unit: Unit, { pieceSeconds, time }: When): (number | null)[] {
  return pieces.map((piece) => {
    const seconds = Math.min(pieceSeconds, (time - piece.startTime) / MILLISECONDS);
    return seconds < pieceSeconds * LEAST_PART ? null : (piece[key] / seconds) * unit.seconds;
  });
}

/** The shortest unit of time in which a chart of such pieces shows numbers that are not all below one. */
export function chooseUnit(pieces: Pieces, pieceSeconds: number): Unit {
  const most = Math.max(0, ...pieces.map(({ accepted, succeeded, failed }) => Math.max(accepted, succeeded, failed)));
  return UNITS.find(({ seconds }) => (most / pieceSeconds) * seconds >= 1) ?? UNITS[2];
}

/** How many orders there were in all pieces. */
export function sumOf(pieces: Pieces, key: Count): number {
  return pieces.reduce((sum, piece) => sum + piece[key], 0);
}

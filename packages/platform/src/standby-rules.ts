import type { LogPosition } from './log-position.ts';

/**
 * What this process has noted on the primary: a row that it writes each second. Where a standby shows it, the standby follows
 * that primary, at least up to there.
 */
interface Mark {
  /** The primary's timeline when it was written. */
  timeline: string;
  /** When it was written, by this process's own clock (performance.now), which no other clock is compared with. */
  writtenMs: number;
}

/** What a server said of itself when it was asked. */
export interface Sighting {
  isStandby: boolean;
  /** The end of what it shows. */
  replayedBytes: number;
  /** The end of what it has got from its primary. */
  receivedBytes: number;
  /** When the newest transaction that it shows was committed, by the primary's clock, in milliseconds; null if there is none. */
  replayedTimeMs: number | null;
  /** The newest mark of this process that it shows. */
  mark: Mark | null;
}

/** How old the newest mark that a standby shows may be: some seconds, for a standby that was pointed at another primary. */
export const MARK_GOOD_FOR_MS = 5_000;
/** The log consists of pages of this size. */
const LOG_PAGE_BYTES = 8_192;

/** Why a server cannot be read from, to go on a sentence; null if it can be. `timeline`: that of the primary. */
export function findStandbyFault(sighting: Sighting, timeline: string, nowMs: number): string | null {
  const { isStandby, mark } = sighting;
  if (!isStandby) return 'is not a standby';
  if (mark === null) return 'does not show what this process has written: it is behind, or follows another primary';
  if (mark.timeline !== timeline) return `shows timeline ${mark.timeline}, and the primary is on ${timeline}`;
  const ageMs = nowMs - mark.writtenMs;
  return ageMs > MARK_GOOD_FOR_MS ? `is behind, or has lost its primary, for ${Math.floor(ageMs / 1_000)} s` : null;
}

/** Whether a server shows all that stands in front of a place. */
export function shows(sighting: Sighting, position: LogPosition, nowMs: number): boolean {
  return findStandbyFault(sighting, position.timeline, nowMs) === null && sighting.replayedBytes >= position.bytes;
}

/**
 * Whether a standby waits for the second half of a record. What does not wait for the disk gets there in whole pages of the
 * log, and a record that goes on in the next page is not complete before something else is written, up to a fifth of a
 * second later.
 */
export function lacksHalfARecord({ replayedBytes, receivedBytes }: Sighting, { bytes }: LogPosition): boolean {
  return bytes % LOG_PAGE_BYTES === 0 && replayedBytes < bytes && receivedBytes >= bytes;
}

import type { ServerResponse } from 'node:http';

/** How long a client may take to read what was written to it: a grace time for any, and more for every byte. */
const GRACE_MS = 60_000;
const MIN_BYTES_PER_SECOND = 256 * 1024;

/**
 * Waits until the connection has taken all that was written to it, or is closed. What was written last had about so many
 * bytes. It closes the connection of a client that takes too long, so that it does not hold them for ever.
 */
export async function waitUntilTaken(response: ServerResponse, bytes: number): Promise<void> {
  if (!response.writableNeedDrain) return;
  const { promise: taken, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => response.destroy(), GRACE_MS + (1_000 * bytes) / MIN_BYTES_PER_SECOND);
  response.once('drain', resolve).once('close', resolve);
  await taken;
  clearTimeout(timer);
  response.off('drain', resolve).off('close', resolve);
}

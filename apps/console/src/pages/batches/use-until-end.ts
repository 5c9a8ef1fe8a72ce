import { useEffect, useRef } from 'react';

const REFRESH_MS = 2_000;

/** The reload interval of a section while its batch runs; false after that. */
export const refreshWhile = (isRunning: boolean): number | false => (isRunning ? REFRESH_MS : false);

/** Reloads once when the batch completes: the reload before may have missed its last orders. */
export function useReadAtEnd(isRunning: boolean, { refetch }: { refetch: () => Promise<unknown> }): void {
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) void refetch();
    wasRunning.current = isRunning;
  }, [isRunning, refetch]);
}

import { useEffect, useRef } from 'react';

const REFRESH_MS = 2_000;

/** How often a part of a batch's page reads again while the batch runs. */
export const refreshWhile = (isRunning: boolean): number | false => (isRunning ? REFRESH_MS : false);

/** Reads once more when a batch ends, because the last reading before its end may have missed the last orders. */
export function useReadAtEnd(isRunning: boolean, { refetch }: { refetch: () => Promise<unknown> }): void {
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) void refetch();
    wasRunning.current = isRunning;
  }, [isRunning, refetch]);
}

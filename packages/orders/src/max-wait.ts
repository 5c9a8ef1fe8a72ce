/** How long a call waits for its turn and for what was accepted before it. Then it is refused as overload. */
export const MAX_WAIT_MS = 15_000;

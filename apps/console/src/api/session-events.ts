export type SessionEvent = 'logged-in' | 'logged-out';

/** Reaches the other tabs of this browser. */
const channel = new BroadcastChannel('lockstep-console');
const listeners = new Set<(event: SessionEvent) => void>();

channel.addEventListener('message', ({ data }: MessageEvent<SessionEvent>) => notify(data));

function notify(event: SessionEvent): void {
  for (const listener of listeners) listener(event);
}

/** Calls `listener` when the session ends, in any tab, or when another tab starts one. */
export function onSessionEvent(listener: (event: SessionEvent) => void): void {
  listeners.add(listener);
}

/** Reports that the session ended: to this tab, or, after a logout, to all tabs. */
export function noteLogOut(where: 'here' | 'everywhere'): void {
  notify('logged-out');
  if (where === 'everywhere') channel.postMessage('logged-out' satisfies SessionEvent);
}

/** Tells the other tabs that an operator logged in, perhaps another one. */
export function noteLogIn(): void {
  channel.postMessage('logged-in' satisfies SessionEvent);
}

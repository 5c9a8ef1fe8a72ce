/** What happened to the session of this browser. */
export type SessionEvent = 'logged-in' | 'logged-out';

/** Reaches the other tabs. */
const channel = new BroadcastChannel('lockstep-console');
const listeners = new Set<(event: SessionEvent) => void>();

channel.addEventListener('message', ({ data }: MessageEvent<SessionEvent>) => notify(data));

function notify(event: SessionEvent): void {
  for (const listener of listeners) listener(event);
}

/** Has `listener` run when the session ends, here or in another tab, or when another tab begins one. */
export function onSessionEvent(listener: (event: SessionEvent) => void): void {
  listeners.add(listener);
}

/** Notes that the session is not there any more: in this tab, or, where its reader ended it, in all of them. */
export function noteLogOut(where: 'here' | 'everywhere'): void {
  notify('logged-out');
  if (where === 'everywhere') channel.postMessage('logged-out' satisfies SessionEvent);
}

/** Tells the other tabs that somebody logged in, maybe somebody else. */
export function noteLogIn(): void {
  channel.postMessage('logged-in' satisfies SessionEvent);
}

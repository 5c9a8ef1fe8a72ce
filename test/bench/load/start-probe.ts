import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Api } from '../../harness/api.ts';

/** What a probe found: the milliseconds of each call, and how many were refused as overload. */
export interface Probed {
  times: number[];
  refused: number;
}

/** Small calls of three kinds, one right after the other; or lists of orders, with pauses. */
export type ProbeKind = 'small calls' | 'lists';

/**
 * Sends calls, one after the other, from a thread of its own. Resolves when the first is answered. The function that it
 * returns ends this.
 */
export async function startProbe(
  { baseUrl, credentials, token }: Api,
  kind: ProbeKind,
): Promise<() => Promise<Probed>> {
  const workerData = { baseUrl, credentials, token, kind };
  const thread = new Worker(new URL('./probe.ts', import.meta.url), { workerData });
  await once(thread, 'message');
  return async () => {
    thread.postMessage('end');
    const [probed] = (await once(thread, 'message')) as [Probed];
    return probed;
  };
}

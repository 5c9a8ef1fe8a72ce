import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Api } from '../../harness/api.ts';

/** The latency of each call in milliseconds, and how many calls were refused as overloaded. */
export interface Probed {
  times: number[];
  refused: number;
}

/** Three kinds of small calls without pauses, or lists of orders with pauses. */
export type ProbeKind = 'small calls' | 'lists';

/**
 * Sends calls one after another from a separate thread. Resolves once the first is answered. The returned function
 * stops the probe and returns its result.
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

import { parentPort, workerData } from 'node:worker_threads';
import type { Credentials } from '@lockstep/access';
import { Api, callService } from '../harness/api.ts';

/**
 * Sends small calls until it is told to end. It runs on a thread of its own, so that its calls wait for the service
 * only.
 */
const { baseUrl, credentials, token } = workerData as { baseUrl: string; credentials: Credentials; token: string };
const caller = new Api(baseUrl, credentials, token);
const calls = [
  () => caller.call('GET', '/licenseOrder/1'),
  () => caller.submit({}),
  () => callService('GET', `${baseUrl}/health/live`, {}),
];
const times: number[] = [];
let isOver = false;
parentPort!.once('message', () => {
  isOver = true;
});
while (!isOver) {
  const startedMs = performance.now();
  await calls[times.length % calls.length]!();
  times.push(performance.now() - startedMs);
}
parentPort!.postMessage(times);

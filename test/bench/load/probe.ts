import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Credentials } from '@lockstep/access';
import { type Answer, Api, callService } from '../../harness/api.ts';
import type { Probed, ProbeKind } from './start-probe.ts';

/** Sends calls until it is told to stop. It has its own thread, so that only the service delays its calls. */
const { baseUrl, credentials, token, kind } = workerData as {
  baseUrl: string;
  credentials: Credentials;
  token: string;
  kind: ProbeKind;
};
const caller = new Api(baseUrl, credentials, token);
const PAUSE_MS = 10;
const kinds: Record<ProbeKind, { calls: (() => Promise<Answer>)[]; pauseMs: number }> = {
  'small calls': {
    calls: [
      () => caller.call('GET', '/licenseOrder/1'),
      () => caller.submit({}),
      () => callService('GET', `${baseUrl}/health/live`, {}),
    ],
    pauseMs: 0,
  },
  lists: { calls: [() => caller.ask('listOrders')], pauseMs: PAUSE_MS },
};
const { calls, pauseMs } = kinds[kind];
const probed: Probed = { times: [], refused: 0 };
let isOver = false;
parentPort!.once('message', () => {
  isOver = true;
});
await calls[0]!();
parentPort!.postMessage('ready');
while (!isOver) {
  const startedMs = performance.now();
  const { body } = await calls[probed.times.length % calls.length]!();
  probed.times.push(performance.now() - startedMs);
  if (body.cause === 'overloaded') probed.refused++;
  if (pauseMs > 0) await delay(pauseMs);
}
parentPort!.postMessage(probed);

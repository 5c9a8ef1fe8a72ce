import type { Readable } from 'node:stream';
import type { FeedEvent } from '@lockstep/contract';
import { buildMessage, newSecret, showSecret } from '@lockstep/webhooks/messages';
import { CommandFault } from '../output/status.ts';
import { say } from '../output/terminal.ts';
import { type OrderClient, ServiceUnavailable } from './client.ts';
import { findPosition, formatEvent, handleEvents, outlast } from './events.ts';
import { explainNoAnswer, nodeFetch } from './http.ts';

/** How long a webhook waits for an answer (rules 6.8). */
const ANSWER_TIMEOUT_MS = 15_000;

/** Prints events and sends each to an address until it is accepted, signed as a webhook signs it (rules 9). */
export async function listen(
  client: OrderClient,
  { forward: url, after: wanted, secret: given }: { forward: string; after: string; secret?: string },
): Promise<void> {
  const secret = given === undefined ? newSecret() : parseSecret(given);
  const after = await findPosition(client, wanted);
  say(`Sending events to ${url}${given === undefined ? `, signed with ${showSecret(secret)}` : ''}`);
  await handleEvents(client, { after, follow: true }, async (event) => {
    say(formatEvent(event));
    say(`  ${await outlast(() => forward(url, event, secret), `${url} accepts events again.`)}`);
  });
}

/** Sends an event once. Returns how it was answered. Throws a ServiceUnavailable if it was not accepted. */
async function forward(url: string, event: FeedEvent, secret: Buffer): Promise<string> {
  const message = { method: 'POST', ...buildMessage(event, [secret], new Date()), redirect: 'manual' } as const;
  const startMs = performance.now();
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const { status, body } = await nodeFetch(url, { ...message, signal }).catch((error) => {
    const reason = signal.aborted ? { code: 'NO_ANSWER' } : error;
    throw new ServiceUnavailable(explainNoAnswer(reason, url), { cause: error });
  });
  // The status decides, as for a webhook.
  (body as Readable).destroy();
  const outcome = `HTTP ${status} after ${Math.round(performance.now() - startMs)} ms`;
  if (status < 200 || status > 299) throw new ServiceUnavailable(`${url}: ${outcome} for event ${event.id}.`);
  return outcome;
}

/** Parses a secret. Does not repeat it: a wrong one may be that of a webhook with a slip. */
function parseSecret(text: string): Buffer {
  const secret = Buffer.from(text.trim().replace(/^whsec_/, ''), 'base64');
  if (showSecret(secret) === text.trim() && secret.length >= 24 && secret.length <= 64) return secret;
  throw new CommandFault('usage', '--secret (LOCKSTEP_WEBHOOK_SECRET) must be whsec_ and 24 to 64 bytes in base64.');
}

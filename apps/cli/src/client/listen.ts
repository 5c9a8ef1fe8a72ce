import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedEvent } from '@lockstep/contract';
import { buildMessage, newSecret, showSecret } from '@lockstep/webhooks/messages';
import { CommandFault } from '../output/status.ts';
import { say, sayAside } from '../output/terminal.ts';
import type { OrderClient } from './client.ts';
import { findPosition, formatEvent, handleEvents } from './events.ts';
import { explainNoAnswer, nodeFetch } from './http.ts';

/** How long a webhook waits for an answer (rules 6.8). */
const ANSWER_TIMEOUT_MS = 15_000;
/** The pause before an event is sent again: short, because a developer is waiting for it. */
const PAUSE_MS = 1_000;

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
    say(`  ${await forward(url, event, secret)}`);
  });
}

/** Sends an event until it is accepted, and returns how it was answered. Says once that it is refused until then. */
async function forward(url: string, event: FeedEvent, secret: Buffer): Promise<string> {
  for (let isRefused = false; ; isRefused = true) {
    const { isAccepted, outcome } = await send(url, event, secret);
    if (isAccepted && isRefused) sayAside(`lockstep: ${url} accepts events again.`);
    if (isAccepted) return outcome;
    if (!isRefused) sayAside(`lockstep: ${outcome} Retrying.`);
    await sleep(PAUSE_MS);
  }
}

/** Sends an event once. Returns how it was answered, or why it was not accepted. */
async function send(url: string, event: FeedEvent, secret: Buffer): Promise<{ isAccepted: boolean; outcome: string }> {
  const message = { method: 'POST', ...buildMessage(event, [secret], new Date()), redirect: 'manual' } as const;
  const startMs = performance.now();
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  try {
    const { status, body } = await nodeFetch(url, { ...message, signal });
    // The status decides, as for a webhook.
    (body as Readable).destroy();
    const outcome = `HTTP ${status} after ${Math.round(performance.now() - startMs)} ms`;
    const isAccepted = status >= 200 && status <= 299;
    return { isAccepted, outcome: isAccepted ? outcome : `${url}: ${outcome} for event ${event.id}.` };
  } catch (error) {
    return { isAccepted: false, outcome: explainNoAnswer(signal.aborted ? { code: 'NO_ANSWER' } : error, url) };
  }
}

/** Parses a secret. Does not repeat it: a wrong one may be that of a webhook with a slip. */
function parseSecret(text: string): Buffer {
  const secret = Buffer.from(text.trim().replace(/^whsec_/, ''), 'base64');
  if (showSecret(secret) === text.trim() && secret.length >= 24 && secret.length <= 64) return secret;
  throw new CommandFault('usage', '--secret (LOCKSTEP_WEBHOOK_SECRET) must be whsec_ and 24 to 64 bytes in base64.');
}

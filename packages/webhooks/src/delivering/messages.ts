import { messageIdOf, TEST_TYPE } from '../managing/deliveries.ts';
import type { Outgoing } from '../sending/sender.ts';
import { sign } from '../sending/signatures.ts';
import type { Claim } from './claim.ts';

const USER_AGENT = 'Lockstep-Webhooks/1';

/**
 * Builds the message of a delivery as sent at `sentTime`, by Standard Webhooks. Its body is the same at each attempt.
 */
export function buildMessage({ deliveryId, createdTime, event, url, secrets }: Claim, sentTime: Date): Outgoing {
  const messageId = messageIdOf({ id: deliveryId, position: event?.id ?? null });
  const timestamp = (event === null ? createdTime : new Date(event.time)).toISOString();
  const body = JSON.stringify({ type: event?.type ?? TEST_TYPE, timestamp, data: event?.data ?? {} });
  const sentSeconds = Math.floor(sentTime.getTime() / 1_000);
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': messageId,
      'webhook-timestamp': String(sentSeconds),
      'webhook-signature': sign({ messageId, sentSeconds, body }, secrets),
    },
  };
}

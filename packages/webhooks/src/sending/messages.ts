import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;
const USER_AGENT = 'Lockstep-Webhooks/1';

export function newSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Returns a secret in the form that clients get and libraries accept (Standard Webhooks). */
export function showSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/** What a message says: an event of the feed, or a test. */
export interface Told {
  id: string;
  type: string;
  /** Milliseconds since 1970-01-01 UTC. */
  time: number;
  data: object;
}

/**
 * Builds the message of an event as sent at `sentTime`, signed by each secret (Standard Webhooks). Its body is the same
 * at each attempt.
 */
export function buildMessage({ id, type, time, data }: Told, secrets: readonly Buffer[], sentTime: Date) {
  const body = JSON.stringify({ id, type, timestamp: new Date(time).toISOString(), time, data });
  const sentSeconds = String(Math.floor(sentTime.getTime() / 1_000));
  const content = `${id}.${sentSeconds}.${body}`;
  const signBy = (secret: Buffer) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`;
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': id,
      'webhook-timestamp': sentSeconds,
      'webhook-signature': secrets.map(signBy).join(' '),
    },
  };
}

import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;

export function newSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Returns a secret in the form that clients get and libraries accept (Standard Webhooks). */
export function showSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/** What is signed: the id of a message, when it is sent, and its exact body. */
interface Signed {
  messageId: string;
  /** Seconds since 1970-01-01 UTC. */
  sentSeconds: number;
  body: string;
}

/** Returns the header webhook-signature: one signature for each secret, separated by spaces (Standard Webhooks). */
export function sign({ messageId, sentSeconds, body }: Signed, secrets: readonly Buffer[]): string {
  const content = `${messageId}.${sentSeconds}.${body}`;
  return secrets.map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`).join(' ');
}

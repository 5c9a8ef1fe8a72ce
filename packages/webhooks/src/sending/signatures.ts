import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks wants 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** Creates the secret of a webhook. */
export function newSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Writes a secret as clients get it and libraries take it (Standard Webhooks). */
export function showSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/** What a signature stands for: the id of a message, when it is sent, and its body, byte by byte. */
interface Signed {
  messageId: string;
  /** Seconds since 1970-01-01 UTC. */
  sentSeconds: number;
  body: string;
}

/** Writes the header webhook-signature: a signature by each secret, with blanks between (Standard Webhooks). */
export function sign({ messageId, sentSeconds, body }: Signed, secrets: readonly Buffer[]): string {
  const content = `${messageId}.${sentSeconds}.${body}`;
  return secrets.map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`).join(' ');
}

import type { Message } from './contract.ts';

export type { Message } from './contract.ts';

/** Why a message is not genuine, or can't be read. */
export type WebhookFault = 'headers_missing' | 'time_differs' | 'signature_wrong' | 'body_malformed';

/**
 * A message is not from your webhook, is old, or can't be read. Answer with status 401, and do nothing else.
 *
 * @example
 * ```ts
 * const status = await verify(body, headers, secret).then(
 *   () => 204,
 *   (error) => (error instanceof WebhookError ? 401 : 500),
 * );
 * console.log(status);
 * ```
 */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  override readonly cause: WebhookFault;

  constructor(cause: WebhookFault, message: string) {
    super(message);
    this.cause = cause;
  }
}

/** The headers of a request: those of `fetch` (`Headers`), or an object with lower-case names, as Node.js has it. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

const TOLERANCE_SECONDS = 5 * 60;
const MIN_KEY_BYTES = 24;
/** More than a message has: of the secret and of ten earlier ones. */
const MAX_SIGNATURES = 20;

/**
 * Checks that a message was signed with the secret of your webhook within the last five minutes (Standard Webhooks),
 * and returns its content. The same message can arrive more than once: handle each `id` once.
 *
 * @param body the request's body as it arrived: re-serialized JSON has another signature
 * @param headers the request's headers
 * @param secret `whsec_…`; all that are valid while you replace one
 * @throws WebhookError if the message is not genuine; TypeError if a secret is malformed
 * @example
 * ```ts
 * const message = await verify(body, headers, secret);
 * if (message.type === 'batch.completed') console.log(message.id, message.data.channelOrderId);
 * ```
 */
export async function verify(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): Promise<Message> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError('The body must be as it arrived: text or bytes, before anything parses it');
  }
  const secrets = [secret].flat();
  if (secrets.length === 0) throw new TypeError('No secret is given');
  const keys = await Promise.all(secrets.map(importKey));
  const [id, seconds, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new WebhookError('headers_missing', `The header ${name} is missing.`);
  }) as [string, string, string];
  if (!(Math.abs(Date.now() / 1_000 - Number(seconds)) <= TOLERANCE_SECONDS)) {
    const message = 'The message is older than five minutes, or this clock is wrong.';
    throw new WebhookError('time_differs', message);
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const prefix = new TextEncoder().encode(`${id}.${seconds}.`);
  const content = new Uint8Array(prefix.length + bytes.length);
  content.set(prefix);
  content.set(bytes, prefix.length);
  const claims = signatures
    .split(' ', MAX_SIGNATURES)
    .flatMap((claim) => (claim.startsWith('v1,') ? decode(claim.slice(3)) : []));
  const checks = keys.flatMap((key) => claims.map((claim) => crypto.subtle.verify('HMAC', key, claim, content)));
  if (!(await Promise.all(checks)).includes(true)) {
    throw new WebhookError('signature_wrong', 'No signature of the message is made with the secret.');
  }
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new WebhookError('body_malformed', 'The body is not JSON.');
  }
}

async function importKey(secret: string) {
  const [bytes] = decode(
    String(secret)
      .trim()
      .replace(/^whsec_/, ''),
  );
  // With an empty key, anyone could sign.
  if (bytes === undefined || bytes.length < MIN_KEY_BYTES) {
    throw new TypeError('A secret must be whsec_ and at least 24 bytes in base64');
  }
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Decodes base64; returns nothing if it is malformed. */
function decode(text: string): Uint8Array<ArrayBuffer>[] {
  try {
    return [Uint8Array.from(atob(text), (character) => character.charCodeAt(0))];
  } catch {
    return [];
  }
}

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;

/** A new random secret, 256 bits in URL-safe text. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * What is stored of a secret. A plain SHA-256 is enough for 256 random bits; passwords that people choose need more.
 */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compares a secret with stored hashes in constant time, whichever it is of; with all of them, the first may be it. */
export function isOneOf(secret: string, hashes: readonly [Buffer, ...Buffer[]]): boolean {
  const hash = hashSecret(secret);
  return hashes.map((each) => timingSafeEqual(hash, each)).includes(true);
}

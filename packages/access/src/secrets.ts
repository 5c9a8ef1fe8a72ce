import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;

/** Returns a random secret: 256 bits in URL-safe text. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Returns the hash of a secret, for storing it. SHA-256 is enough for 256 random bits; passwords that people choose
 * need argon2id.
 */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Whether a secret matches one of the stored hashes. The time does not reveal which. */
export function isOneOf(secret: string, hashes: readonly [Buffer, ...Buffer[]]): boolean {
  const own = hashSecret(secret);
  return hashes.map((each) => timingSafeEqual(own, each)).includes(true);
}

import { availableParallelism } from 'node:os';
import { Refusal } from '@lockstep/contract';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import PQueue from 'p-queue';
import { newSecret } from './secrets.ts';

/** OWASP's parameters for argon2id (Password Storage Cheat Sheet): 19 MiB, two passes, one lane. */
const ARGON2ID: Algorithm = 2;
const PARAMETERS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashing runs in libuv's pool of four threads, which DNS and files need too. */
const HASHES_AT_ONCE = Math.min(availableParallelism(), 3);
/** Of each priority. */
const MAX_WAITING = 1_000;

/** People who log in go before the many hashes of an M1. */
const FIRST = 1;
const AFTERWARDS = 0;

/** Characters of a password that is made for somebody: 144 random bits. */
const GENERATED_CHARACTERS = 24;

/** A new random password, good for decisions 8. */
export function newPassword(): string {
  return newSecret().slice(0, GENERATED_CHARACTERS);
}

/**
 * Hashes passwords with argon2id, on other threads than the event loop's and so many at once at most in a process. Every
 * method throws a Refusal, overloaded, where too many wait already.
 */
export class PasswordHasher {
  readonly #queue = new PQueue({ concurrency: HASHES_AT_ONCE });
  /** Compared with where there is no hash, so that the answer takes as long. */
  readonly #decoy = this.#hash(newPassword(), FIRST);

  /** The hashes of passwords in PHC string format, in their order. */
  async hashAll(passwords: readonly string[]): Promise<string[]> {
    this.#refuseOverload(passwords.length, AFTERWARDS);
    return Promise.all(passwords.map((password) => this.#hash(password, AFTERWARDS)));
  }

  /** Whether a password is the one of a hash; without a hash it takes as long to say no. */
  async isPassword(password: string, stored: string | null): Promise<boolean> {
    this.#refuseOverload(1, FIRST);
    const decoy = await this.#decoy;
    const isSame = await this.#queue.add(() => verify(stored ?? decoy, comparable(password)), { priority: FIRST });
    return isSame && stored !== null;
  }

  #hash(password: string, priority: number): Promise<string> {
    return this.#queue.add(() => hash(comparable(password), PARAMETERS), { priority });
  }

  /** Each kind by itself: an M1 that fills its part does not keep people from logging in. */
  #refuseOverload(count: number, priority: number): void {
    if (this.#queue.sizeBy({ priority }) + count > MAX_WAITING) throw new Refusal('overloaded');
  }
}

/** Keyboards differ in how they compose a character; what looks the same is the same (RFC 8265, OpaqueString). */
function comparable(password: string): string {
  return password.normalize('NFC');
}

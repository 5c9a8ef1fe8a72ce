import { availableParallelism } from 'node:os';
import { type Database, FairQueue } from '@lockstep/platform';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import { newSecret } from './secrets.ts';

/** OWASP's parameters for argon2id (Password Storage Cheat Sheet): 19 MiB of memory, two passes, one lane. */
const ARGON2ID: Algorithm = 2;
const PARAMETERS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashing runs in libuv's pool of four threads, which DNS and files also need. */
const HASHES_AT_ONCE = Math.min(availableParallelism(), 3);

/** How many hashes of one party may wait. */
const MAX_WAITING = 200;

/** On whose behalf a password is hashed. */
export interface HashOwner {
  /**
   * Who gets a fair share: the logins through an application, the new employees (M1) and the password resets (M3) of an
   * enterprise, the console's logins, and operators' changes.
   */
  party: string;
  /** Aborts when the result is no longer needed; hashes that have not started are dropped. */
  signal?: AbortSignal | undefined;
}

/** The dependencies of functions that set or check passwords. */
export interface PasswordTools {
  db: Database;
  passwords: PasswordHasher;
  /** Aborts when the caller no longer waits; passwords not yet hashed are dropped. */
  signal?: AbortSignal;
}

/** Length of a generated password: 144 random bits. */
const GENERATED_CHARACTERS = 24;

/** Returns a random password that meets the rules for passwords (rules 8). */
export function newPassword(): string {
  return newSecret().slice(0, GENERATED_CHARACTERS);
}

/**
 * Hashes passwords with argon2id in libuv's threads, at most HASHES_AT_ONCE at a time per process. A party with many
 * hashes delays only itself: password resets keep their share however many logins are waiting, and each application's
 * logins keep theirs. Every method throws an Overload if too many hashes of the party are waiting, or the signal's
 * reason if it aborts first.
 */
export class PasswordHasher {
  readonly #turns = new FairQueue({ atOnce: HASHES_AT_ONCE, maxWaiting: MAX_WAITING });
  /** Stands in for a missing hash, so that the answer takes equally long. */
  readonly #decoy = hash(newPassword(), PARAMETERS);

  /** Returns the hashes of passwords in PHC string format, in the same order. */
  async hashAll(passwords: readonly string[], { party, signal }: HashOwner): Promise<string[]> {
    this.#turns.requireRoom(party, passwords.length);
    const hashing = passwords.map((password) =>
      this.#turns.run(party, signal, () => hash(normalize(password), PARAMETERS)),
    );
    return Promise.all(hashing);
  }

  /** Whether a password matches a hash. Without a hash it takes equally long and returns false. */
  async isPassword(password: string, stored: string | null, { party, signal }: HashOwner): Promise<boolean> {
    const decoy = await this.#decoy;
    const isSame = await this.#turns.run(party, signal, () => verify(stored ?? decoy, normalize(password)));
    return isSame && stored !== null;
  }
}

/** Keyboards compose characters differently; passwords that look the same must be equal (RFC 8265, OpaqueString). */
function normalize(password: string): string {
  return password.normalize('NFC');
}

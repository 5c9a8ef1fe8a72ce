import { availableParallelism } from 'node:os';
import { FairQueue } from '@lockstep/platform';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import { newSecret } from './secrets.ts';

/** OWASP's parameters for argon2id (Password Storage Cheat Sheet): 19 MiB of memory, two passes, one lane. */
const ARGON2ID: Algorithm = 2;
const PARAMETERS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashing runs in libuv's pool of four threads, which DNS and files also need. */
const HASHES_AT_ONCE = Math.min(availableParallelism(), 3);

/**
 * The kinds of hashing, and how many hashes of one party may wait in each: logins through an application, new employees
 * (M1) and password resets (M3) of an enterprise, an operator's changes in an enterprise, and console logins from an
 * address.
 */
const MAX_WAITING = { login: 200, addition: 200, reset: 100, operator: 100, console: 20 };
type HashKind = keyof typeof MAX_WAITING;

/** On whose behalf a password is hashed. Kinds get fair shares, and so do the parties within a kind. */
export interface HashOwner {
  kind: HashKind;
  /** The id of the application or enterprise, or the address of the caller. */
  party: string;
  /** Aborts when the result is no longer needed; hashes that have not started are dropped. */
  signal?: AbortSignal | undefined;
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
  readonly #queue = new FairQueue({
    atOnce: HASHES_AT_ONCE,
    maxWaiting: ({ kind }) => MAX_WAITING[kind as HashKind],
  });
  /** Stands in for a missing hash, so that the answer takes equally long. */
  readonly #decoy = hash(newPassword(), PARAMETERS);

  /** Returns the hashes of passwords in PHC string format, in the same order. */
  async hashAll(passwords: readonly string[], owner: HashOwner): Promise<string[]> {
    this.#queue.requireRoom(owner, passwords.length);
    const hashing = passwords.map((password) =>
      this.#queue.run(owner, owner.signal, () => hash(normalize(password), PARAMETERS)),
    );
    return Promise.all(hashing);
  }

  /** Whether a password matches a hash. Without a hash it takes equally long and returns false. */
  async isPassword(password: string, stored: string | null, owner: HashOwner): Promise<boolean> {
    const decoy = await this.#decoy;
    const isSame = await this.#queue.run(owner, owner.signal, () => verify(stored ?? decoy, normalize(password)));
    return isSame && stored !== null;
  }
}

/** Keyboards compose characters differently; passwords that look the same must be equal (RFC 8265, OpaqueString). */
function normalize(password: string): string {
  return password.normalize('NFC');
}

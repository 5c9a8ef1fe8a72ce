import { availableParallelism } from 'node:os';
import { FairQueue } from '@lockstep/platform';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import { newSecret } from './secrets.ts';

/** OWASP's parameters for argon2id (Password Storage Cheat Sheet): 19 MiB, two passes, one lane. */
const ARGON2ID: Algorithm = 2;
const PARAMETERS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashing runs in libuv's pool of four threads, which DNS and files need too. */
const HASHES_AT_ONCE = Math.min(availableParallelism(), 3);

/**
 * What a password is hashed for, and how many hashes of it may wait, of one party each: of those who log in through an
 * application, of new employees (M1) and new passwords (M3) of an enterprise, of the operator.
 */
const MAX_WAITING = { login: 200, addition: 200, reset: 100, operator: 100 };
export type HashKind = keyof typeof MAX_WAITING;

/** For whom something is hashed. Kinds take turns, and in a kind parties. */
export interface HashOwner {
  kind: HashKind;
  /** The application's id, or the enterprise's. */
  party: string;
  /** Aborts where nobody waits for it any more; what has not begun by then is not hashed. */
  signal?: AbortSignal | undefined;
}

/** Characters of a password that is made for somebody: 144 random bits. */
const GENERATED_CHARACTERS = 24;

/** A new random password, good for decisions 8. */
export function newPassword(): string {
  return newSecret().slice(0, GENERATED_CHARACTERS);
}

/**
 * Hashes passwords with argon2id, on other threads than the event loop's and so many at once at most in a process. Who
 * asks for much waits longer, and nobody else does: new passwords keep their share however many logins wait, and the
 * logins of one application theirs. Every method throws an Overload where too much of the party waits already, and the
 * reason of the signal where that aborts first.
 */
export class PasswordHasher {
  readonly #queue = new FairQueue({
    atOnce: HASHES_AT_ONCE,
    maxWaiting: ({ kind }) => MAX_WAITING[kind as HashKind],
  });
  /** Compared with where there is no hash, so that the answer takes as long. */
  readonly #decoy = hash(newPassword(), PARAMETERS);

  /** The hashes of passwords in PHC string format, in their order. */
  async hashAll(passwords: readonly string[], owner: HashOwner): Promise<string[]> {
    this.#queue.requireRoom(owner, passwords.length);
    const hashing = passwords.map((password) =>
      this.#queue.run(owner, owner.signal, () => hash(comparable(password), PARAMETERS)),
    );
    return Promise.all(hashing);
  }

  /** Whether a password is the one of a hash; without a hash it takes as long to say no. */
  async isPassword(password: string, stored: string | null, owner: HashOwner): Promise<boolean> {
    const decoy = await this.#decoy;
    const isSame = await this.#queue.run(owner, owner.signal, () => verify(stored ?? decoy, comparable(password)));
    return isSame && stored !== null;
  }
}

/** Keyboards differ in how they compose a character; what looks the same is the same (RFC 8265, OpaqueString). */
function comparable(password: string): string {
  return password.normalize('NFC');
}

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
 * The kinds of hashing, and how many hashes of one party may wait in each: logins through an application, new employees
 * (M1) and new passwords (M3) of an enterprise, what the operator does in an enterprise, and log-ins to the console
 * from an address.
 */
const MAX_WAITING = { login: 200, addition: 200, reset: 100, operator: 100, console: 20 };
type HashKind = keyof typeof MAX_WAITING;

/** For whom something is hashed. Kinds take turns, and within a kind parties take turns. */
export interface HashOwner {
  kind: HashKind;
  /** The application's id, the enterprise's, or the address of the caller. */
  party: string;
  /** Aborts when nobody waits for it any more; what has not begun by then is not hashed. */
  signal?: AbortSignal | undefined;
}

/** Characters of a generated password: 144 random bits. */
const GENERATED_CHARACTERS = 24;

/** Creates a random password that the rules for passwords allow (rules 8). */
export function newPassword(): string {
  return newSecret().slice(0, GENERATED_CHARACTERS);
}

/**
 * Hashes passwords with argon2id, outside the event loop's thread, at most HASHES_AT_ONCE at a time in a process. A
 * party that asks for much waits longer, and nobody else does: new passwords keep their share however many logins wait,
 * and each application's logins keep theirs. Every method throws an Overload if too much of the party waits already,
 * and the signal's reason if that aborts first.
 */
export class PasswordHasher {
  readonly #queue = new FairQueue({
    atOnce: HASHES_AT_ONCE,
    maxWaiting: ({ kind }) => MAX_WAITING[kind as HashKind],
  });
  /** Stands in for a missing hash, so that the answer takes as long. */
  readonly #decoy = hash(newPassword(), PARAMETERS);

  /** Returns the hashes of passwords in PHC string format, in their order. */
  async hashAll(passwords: readonly string[], owner: HashOwner): Promise<string[]> {
    this.#queue.requireRoom(owner, passwords.length);
    const hashing = passwords.map((password) =>
      this.#queue.run(owner, owner.signal, () => hash(normalize(password), PARAMETERS)),
    );
    return Promise.all(hashing);
  }

  /** Whether a password matches a hash. Without a hash it returns false, after the same time. */
  async isPassword(password: string, stored: string | null, owner: HashOwner): Promise<boolean> {
    const decoy = await this.#decoy;
    const isSame = await this.#queue.run(owner, owner.signal, () => verify(stored ?? decoy, normalize(password)));
    return isSame && stored !== null;
  }
}

/** Keyboards compose characters differently; passwords that look the same are the same (RFC 8265, OpaqueString). */
function normalize(password: string): string {
  return password.normalize('NFC');
}

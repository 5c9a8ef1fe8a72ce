import { Refusal } from '@lockstep/contract';

const MEBIBYTE = 1024 * 1024;

/** The first bytes of a body, up to this many, are its small part. */
const SMALL_PART_BYTES = MEBIBYTE;
/** The bytes of small and of large parts that a process holds at once. */
const SMALL_BYTES = 64 * MEBIBYTE;
const LARGE_BYTES = 48 * MEBIBYTE;
/** How many of each one application can take. */
const SHARE_BYTES = 32 * MEBIBYTE;
/** How long a body waits for memory. */
const WAIT_MS = 90_000;

/**
 * The body memory of a process. Counts received bytes, not declared ones, so a client that declares much and sends
 * little takes little.
 *
 * The first mebibyte of a body gets memory at once, or the call is refused. The rest waits for memory, and the body
 * that began first goes first. Half-received bodies could deadlock, so the first waiting body may exceed the limits,
 * one at a time. No application takes more than its share, so none can block the others.
 */
export class BodyMemory {
  readonly #small = new Budget(SMALL_BYTES);
  readonly #large = new Budget(LARGE_BYTES);
  /** The waiting bodies, in the order in which they began. */
  #waiting: Waiting[] = [];
  /** The body that may exceed the limits. */
  #exempt: BodyReservation | undefined;
  #begun = 0;

  /** Begins a reservation for a body of an application. It takes no memory yet. */
  begin(applicationId: string): BodyReservation {
    return new BodyReservation(this, applicationId, this.#begun++);
  }

  /**
   * Takes memory for the next bytes of a body. Returns a promise if they must wait. Throws or rejects with a Refusal:
   * overloaded. Only the reservation calls it.
   */
  take(reservation: BodyReservation, bytes: number): Promise<void> | undefined {
    const small = Math.min(bytes, Math.max(0, SMALL_PART_BYTES - reservation.smallBytes));
    if (!this.#small.fits(reservation.applicationId, small)) throw new Refusal('overloaded');
    this.#small.add(reservation.applicationId, small);
    reservation.smallBytes += small;
    const large = bytes - small;
    if (large === 0) return undefined;
    if (this.#waiting.length === 0 && this.#takeLarge(reservation, large)) return undefined;
    return this.#wait(reservation, large);
  }

  /** Releases all memory of a reservation. Only the reservation calls it. */
  release(reservation: BodyReservation): void {
    this.#small.add(reservation.applicationId, -reservation.smallBytes);
    this.#large.add(reservation.applicationId, -reservation.largeBytes);
    for (const { resolve } of this.#waiting.filter((waiting) => waiting.reservation === reservation)) resolve();
    this.#waiting = this.#waiting.filter((waiting) => waiting.reservation !== reservation);
    if (this.#exempt === reservation) this.#exempt = undefined;
    this.#serve();
  }

  #takeLarge(reservation: BodyReservation, bytes: number): boolean {
    if (reservation !== this.#exempt && !this.#large.fits(reservation.applicationId, bytes)) return false;
    this.#large.add(reservation.applicationId, bytes);
    reservation.largeBytes += bytes;
    return true;
  }

  #wait(reservation: BodyReservation, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        reject(new Refusal('overloaded'));
      };
      const timer = setTimeout(giveUp, WAIT_MS);
      const waiting = {
        reservation,
        bytes,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#waiting = [...this.#waiting, waiting].sort((a, b) => a.reservation.order - b.reservation.order);
      this.#serve();
    });
  }

  #serve(): void {
    this.#waiting = this.#waiting.filter(({ reservation, bytes, resolve }) => {
      this.#exempt ??= reservation;
      if (!this.#takeLarge(reservation, bytes)) return true;
      resolve();
      return false;
    });
  }
}

interface Waiting {
  reservation: BodyReservation;
  bytes: number;
  resolve: () => void;
}

/** The memory that one body takes. */
export class BodyReservation {
  readonly applicationId: string;
  /** Its number in the order in which bodies began. */
  readonly order: number;
  smallBytes = 0;
  largeBytes = 0;
  readonly #memory: BodyMemory;
  #isReleased = false;

  constructor(memory: BodyMemory, applicationId: string, order: number) {
    this.#memory = memory;
    this.applicationId = applicationId;
    this.order = order;
  }

  /**
   * Takes memory for received bytes. Returns a promise if they must wait; do not read on until it resolves. Throws or
   * rejects with a Refusal: overloaded. After `release` it takes nothing.
   */
  take(bytes: number): Promise<void> | undefined {
    return this.#isReleased ? undefined : this.#memory.take(this, bytes);
  }

  /** Releases all of it. A second call is a no-op. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#memory.release(this);
  }
}

/** Counts the bytes taken, in total and by application. */
class Budget {
  readonly #bytes: number;
  readonly #takenOf = new Map<string, number>();
  #taken = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  fits(applicationId: string, bytes: number): boolean {
    return this.#taken + bytes <= this.#bytes && (this.#takenOf.get(applicationId) ?? 0) + bytes <= SHARE_BYTES;
  }

  add(applicationId: string, bytes: number): void {
    this.#taken += bytes;
    const taken = (this.#takenOf.get(applicationId) ?? 0) + bytes;
    if (taken === 0) this.#takenOf.delete(applicationId);
    else this.#takenOf.set(applicationId, taken);
  }
}

import { Refusal } from '@lockstep/contract';

const MEBIBYTE = 1024 * 1024;

/** The first bytes of a body, up to this many, are its small part. */
const SMALL_PART_BYTES = MEBIBYTE;
/** How many bytes of small and of large parts a process holds at once. */
const SMALL_BYTES = 64 * MEBIBYTE;
const LARGE_BYTES = 48 * MEBIBYTE;
/** How many of each may be one application's. */
const SHARE_BYTES = 32 * MEBIBYTE;
/** How long a body waits for room for its next bytes. */
const WAIT_MS = 90_000;

/**
 * The room that a process has for bodies. Received bytes count, not announced ones, so a client that announces much and
 * sends little takes little.
 *
 * The first mebibyte of a body gets room at once, or the call is refused. The rest waits for room; the body that began
 * first goes first. Half-received bodies could wait for each other for ever, so the first of those that wait goes on
 * past the limits, one at a time. No application takes more than its share, so it cannot keep others out.
 */
export class BodyRoom {
  readonly #small = new Budget(SMALL_BYTES);
  readonly #large = new Budget(LARGE_BYTES);
  /** The bodies that wait, in the order in which they began. */
  #waiting: Waiting[] = [];
  /** The body that may go on past the limits. */
  #favoured: BodyPlace | undefined;
  #begun = 0;

  /** Opens a place for a body of an application. It takes no room yet. */
  begin(applicationId: string): BodyPlace {
    return new BodyPlace(this, applicationId, this.#begun++);
  }

  /**
   * Takes room for the next bytes of a body. Returns a promise if they have to wait. Throws or rejects with a Refusal:
   * overloaded. The place calls it.
   */
  take(place: BodyPlace, bytes: number): Promise<void> | undefined {
    const small = Math.min(bytes, Math.max(0, SMALL_PART_BYTES - place.smallBytes));
    if (!this.#small.fits(place.applicationId, small)) throw new Refusal('overloaded');
    this.#small.add(place.applicationId, small);
    place.smallBytes += small;
    const large = bytes - small;
    if (large === 0) return undefined;
    if (this.#waiting.length === 0 && this.#takeLarge(place, large)) return undefined;
    return this.#wait(place, large);
  }

  /** Gives back all the room that a place has taken. The place calls it. */
  giveBack(place: BodyPlace): void {
    this.#small.add(place.applicationId, -place.smallBytes);
    this.#large.add(place.applicationId, -place.largeBytes);
    for (const { resolve } of this.#waiting.filter((waiting) => waiting.place === place)) resolve();
    this.#waiting = this.#waiting.filter((waiting) => waiting.place !== place);
    if (this.#favoured === place) this.#favoured = undefined;
    this.#serve();
  }

  #takeLarge(place: BodyPlace, bytes: number): boolean {
    if (place !== this.#favoured && !this.#large.fits(place.applicationId, bytes)) return false;
    this.#large.add(place.applicationId, bytes);
    place.largeBytes += bytes;
    return true;
  }

  #wait(place: BodyPlace, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        reject(new Refusal('overloaded'));
      };
      const timer = setTimeout(giveUp, WAIT_MS);
      const waiting = {
        place,
        bytes,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#waiting = [...this.#waiting, waiting].sort((a, b) => a.place.order - b.place.order);
      this.#serve();
    });
  }

  #serve(): void {
    this.#waiting = this.#waiting.filter(({ place, bytes, resolve }) => {
      this.#favoured ??= place;
      if (!this.#takeLarge(place, bytes)) return true;
      resolve();
      return false;
    });
  }
}

interface Waiting {
  place: BodyPlace;
  bytes: number;
  resolve: () => void;
}

/** The room that one body takes. */
export class BodyPlace {
  readonly applicationId: string;
  /** Its number in the order in which bodies began. */
  readonly order: number;
  smallBytes = 0;
  largeBytes = 0;
  readonly #room: BodyRoom;
  #isGivenBack = false;

  constructor(room: BodyRoom, applicationId: string, order: number) {
    this.#room = room;
    this.applicationId = applicationId;
    this.order = order;
  }

  /**
   * Takes room for received bytes. Returns a promise if they have to wait; read no more until it resolves. Throws or
   * rejects with a Refusal: overloaded. After `giveBack` it takes nothing.
   */
  take(bytes: number): Promise<void> | undefined {
    return this.#isGivenBack ? undefined : this.#room.take(this, bytes);
  }

  /** Gives all of it back. A second call does nothing. */
  giveBack(): void {
    if (this.#isGivenBack) return;
    this.#isGivenBack = true;
    this.#room.giveBack(this);
  }
}

/** Counts the bytes that are taken, in all and by application. */
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

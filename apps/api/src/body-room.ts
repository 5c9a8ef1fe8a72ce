import { Refusal } from '@lockstep/contract';

const MEBIBYTE = 1024 * 1024;

/** How much of all bodies a process holds at once, and how much of that may be one application's. */
const LIMITS = {
  /** What of a body counts as its small part. */
  smallPartBytes: MEBIBYTE,
  small: { bytes: 64 * MEBIBYTE, shareBytes: 32 * MEBIBYTE },
  large: { bytes: 48 * MEBIBYTE, shareBytes: 32 * MEBIBYTE },
  /** How long a body waits at once for room for its large part. */
  waitMs: 90_000,
};
export type BodyLimits = typeof LIMITS;

/**
 * The room that a process has for bodies. What counts is what was received, so that who announces much and sends little
 * takes little.
 *
 * For the first mebibyte of a body there is room at once, or the call is refused. What is beyond that waits for room, the
 * body that began first before the others. Lest bodies that have come in half wait for each other, the first of those that
 * wait goes on past the limits, one at a time. An application takes its share and no more, so that it keeps no other out.
 */
export class BodyRoom {
  readonly #limits: BodyLimits;
  readonly #small: Budget;
  readonly #large: Budget;
  /** Those that wait, in the order in which their bodies began. */
  #waiting: Waiting[] = [];
  /** The body that goes on past the limits. */
  #favoured: BodyPlace | undefined;
  #begun = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
    this.#small = new Budget(limits.small);
    this.#large = new Budget(limits.large);
  }

  /** Makes a place for a body of an application; it takes nothing yet. */
  begin(applicationId: string): BodyPlace {
    return new BodyPlace(this, applicationId, this.#begun++);
  }

  /**
   * Takes room for the next bytes of a body; where they have to wait for it, answers a promise of it. Throws, or rejects
   * with, a Refusal: overloaded. Called by the place.
   */
  take(place: BodyPlace, bytes: number): Promise<void> | undefined {
    const small = Math.min(bytes, Math.max(0, this.#limits.smallPartBytes - place.smallBytes));
    if (!this.#small.fits(place.applicationId, small)) throw new Refusal('overloaded');
    this.#small.add(place.applicationId, small);
    place.smallBytes += small;
    const large = bytes - small;
    if (large === 0) return undefined;
    if (this.#waiting.length === 0 && this.#takeLarge(place, large)) return undefined;
    return this.#wait(place, large);
  }

  /** Gives back all that a place has taken. Called by the place. */
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
      const timer = setTimeout(giveUp, this.#limits.waitMs);
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

/** What one body takes of the room. */
export class BodyPlace {
  readonly applicationId: string;
  /** When it began, among all. */
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
   * Takes room for bytes that have come; where they have to wait, answers a promise of it, and no more should be read
   * meanwhile. Throws, or rejects with, a Refusal: overloaded. After `giveBack` it takes nothing.
   */
  take(bytes: number): Promise<void> | undefined {
    return this.#isGivenBack ? undefined : this.#room.take(this, bytes);
  }

  /** Gives all of it back; again does nothing. */
  giveBack(): void {
    if (this.#isGivenBack) return;
    this.#isGivenBack = true;
    this.#room.giveBack(this);
  }
}

/** Bytes that are taken, of all and of each application. */
class Budget {
  readonly #limits: { bytes: number; shareBytes: number };
  readonly #takenOf = new Map<string, number>();
  #taken = 0;

  constructor(limits: { bytes: number; shareBytes: number }) {
    this.#limits = limits;
  }

  fits(applicationId: string, bytes: number): boolean {
    const { bytes: most, shareBytes } = this.#limits;
    return this.#taken + bytes <= most && (this.#takenOf.get(applicationId) ?? 0) + bytes <= shareBytes;
  }

  add(applicationId: string, bytes: number): void {
    this.#taken += bytes;
    const taken = (this.#takenOf.get(applicationId) ?? 0) + bytes;
    if (taken === 0) this.#takenOf.delete(applicationId);
    else this.#takenOf.set(applicationId, taken);
  }
}

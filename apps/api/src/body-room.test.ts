import { Refusal } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { type BodyLimits, type BodyPlace, BodyRoom } from './body-room.ts';

/** Small enough to count on one's fingers: parts of up to 10 bytes are small. */
const LIMITS: BodyLimits = {
  smallPartBytes: 10,
  small: { bytes: 90, shareBytes: 60 },
  large: { bytes: 100, shareBytes: 60 },
  waitMs: 60_000,
};

/** Begins a body of which so many bytes have come; its small part is full. */
function begun(room: BodyRoom, applicationId: string, largeBytes: number): BodyPlace {
  const place = room.begin(applicationId);
  expect(place.take(10 + largeBytes)).toBeUndefined();
  return place;
}

/** Whether something waits, looked at when everything that can go on has gone on. */
async function isWaiting(taken: Promise<void> | undefined): Promise<boolean> {
  return (await Promise.race([taken, new Promise((resolve) => setImmediate(resolve, 'waiting'))])) === 'waiting';
}

describe('room for bodies', () => {
  it('is there at once for small parts, until all of it or an application’s share is taken', () => {
    const room = new BodyRoom(LIMITS);
    for (const applicationId of 'aaaaaabbb') begun(room, applicationId, 0);
    expect(() => room.begin('a').take(1)).toThrow(new Refusal('overloaded'));
    expect(() => room.begin('b').take(1)).toThrow(new Refusal('overloaded'));
  });

  it('counts what has come, and not the places of bodies that have sent nothing', () => {
    const room = new BodyRoom(LIMITS);
    for (let each = 0; each < 1_000; each++) room.begin('a');
    expect(room.begin('a').take(10)).toBeUndefined();
  });

  it('is given back once, and nothing is taken after that', () => {
    const room = new BodyRoom(LIMITS);
    for (let each = 0; each < 100; each++) {
      const place = begun(room, 'a', 50);
      place.giveBack();
      place.giveBack();
      expect(place.take(1_000)).toBeUndefined();
    }
    expect(begun(room, 'b', 60).largeBytes).toBe(60);
  });

  it('is waited for by large parts, whose bodies go on in the order in which they began', async () => {
    const room = new BodyRoom(LIMITS);
    const running = [begun(room, 'a', 50), begun(room, 'b', 50)];
    const [first, second, third] = [room.begin('c'), room.begin('c'), room.begin('d')];
    const later = third.take(10 + 60);
    const sooner = second.take(10 + 30);
    // The first to wait goes on past the limits; so does whoever began first, once it has given back.
    expect(await isWaiting(later)).toBe(false);
    expect(await isWaiting(sooner)).toBe(true);
    const soonest = first.take(10 + 30);
    expect(await isWaiting(soonest)).toBe(true);
    third.giveBack();
    expect(await isWaiting(soonest)).toBe(false);
    expect(await isWaiting(sooner)).toBe(true);
    for (const place of running) place.giveBack();
    expect(await isWaiting(sooner)).toBe(false);
  });

  it('does not let bodies that have come in half wait for each other', async () => {
    const room = new BodyRoom(LIMITS);
    const [one, other] = [begun(room, 'a', 50), begun(room, 'b', 50)];
    const rest = [one.take(30), other.take(30)];
    expect(await isWaiting(rest[0])).toBe(false);
    expect(await isWaiting(rest[1])).toBe(true);
    one.giveBack();
    expect(await isWaiting(rest[1])).toBe(false);
  });

  it('is kept from others by no application that has its share', async () => {
    const room = new BodyRoom(LIMITS);
    const greedy = begun(room, 'a', 60);
    const past = [room.begin('a').take(10 + 20), room.begin('a').take(10 + 20)];
    expect(await Promise.all(past.map(isWaiting))).toEqual([false, true]);
    expect(await isWaiting(room.begin('b').take(10 + 20))).toBe(false);
    greedy.giveBack();
    expect(await isWaiting(past[1])).toBe(false);
  });

  it('is not waited for for ever', async () => {
    const room = new BodyRoom({ ...LIMITS, waitMs: 1 });
    begun(room, 'a', 60);
    await room.begin('a').take(10 + 60);
    await expect(room.begin('a').take(10 + 60)).rejects.toThrow(new Refusal('overloaded'));
  });

  it('is no longer waited for by a call that is over', async () => {
    const room = new BodyRoom(LIMITS);
    begun(room, 'a', 60);
    await room.begin('a').take(10 + 60);
    const gone = room.begin('a');
    const taken = gone.take(10 + 20);
    expect(await isWaiting(taken)).toBe(true);
    gone.giveBack();
    expect(await isWaiting(taken)).toBe(false);
  });
});

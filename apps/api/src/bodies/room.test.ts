import { Refusal } from '@lockstep/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type BodyPlace, BodyRoom } from './room.ts';

/** The first mebibyte of a body is its small part. There is room for 64 of them, and for 48 more of large parts. */
const MEBIBYTE = 1024 * 1024;

/** Takes room for the next mebibytes of a body. */
const take = (place: BodyPlace, mebibytes: number) => place.take(mebibytes * MEBIBYTE);

/** Begins a body whose small part and so many mebibytes more have come. */
function begun(room: BodyRoom, applicationId: string, more: number): BodyPlace {
  const place = room.begin(applicationId);
  expect(take(place, 1 + more)).toBeUndefined();
  return place;
}

/** Whether something waits, looked at when everything that can go on has gone on. */
async function isWaiting(taken: Promise<void> | undefined): Promise<boolean> {
  return (await Promise.race([taken, new Promise((resolve) => setImmediate(resolve, 'waiting'))])) === 'waiting';
}

describe('room for bodies', () => {
  afterEach(() => void vi.useRealTimers());

  it('is there at once for small parts, until all of it or an application’s share is taken', () => {
    const room = new BodyRoom();
    for (let each = 0; each < 32; each++) begun(room, 'a', 0);
    expect(() => room.begin('a').take(1)).toThrow(new Refusal('overloaded'));
    for (let each = 0; each < 31; each++) begun(room, 'b', 0);
    begun(room, 'c', 0);
    expect(() => room.begin('b').take(1)).toThrow(new Refusal('overloaded'));
    expect(() => room.begin('d').take(1)).toThrow(new Refusal('overloaded'));
  });

  it('counts what has come, and not the places of bodies that have sent nothing', () => {
    const room = new BodyRoom();
    for (let each = 0; each < 1_000; each++) room.begin('a');
    expect(take(room.begin('a'), 1)).toBeUndefined();
  });

  it('is given back once, and nothing is taken after that', () => {
    const room = new BodyRoom();
    for (let each = 0; each < 100; each++) {
      const place = begun(room, 'a', 24);
      place.giveBack();
      place.giveBack();
      expect(take(place, 1_000)).toBeUndefined();
    }
    expect(begun(room, 'b', 32).largeBytes).toBe(32 * MEBIBYTE);
  });

  it('is waited for by large parts, whose bodies go on in the order in which they began', async () => {
    const room = new BodyRoom();
    const running = [begun(room, 'a', 24), begun(room, 'b', 24)];
    const [first, second, third] = [room.begin('c'), room.begin('c'), room.begin('d')];
    const later = take(third, 1 + 32);
    const sooner = take(second, 1 + 16);
    // The first to wait goes on past the limits; so does whoever began first, once it has given back.
    expect(await isWaiting(later)).toBe(false);
    expect(await isWaiting(sooner)).toBe(true);
    const soonest = take(first, 1 + 16);
    expect(await isWaiting(soonest)).toBe(true);
    third.giveBack();
    expect(await isWaiting(soonest)).toBe(false);
    expect(await isWaiting(sooner)).toBe(true);
    for (const place of running) place.giveBack();
    expect(await isWaiting(sooner)).toBe(false);
  });

  it('does not let bodies that have come in half wait for each other', async () => {
    const room = new BodyRoom();
    const [one, other] = [begun(room, 'a', 24), begun(room, 'b', 24)];
    const rest = [take(one, 16), take(other, 16)];
    expect(await isWaiting(rest[0])).toBe(false);
    expect(await isWaiting(rest[1])).toBe(true);
    one.giveBack();
    expect(await isWaiting(rest[1])).toBe(false);
  });

  it('is kept from others by no application that has its share', async () => {
    const room = new BodyRoom();
    const greedy = begun(room, 'a', 32);
    const past = [take(room.begin('a'), 1 + 10), take(room.begin('a'), 1 + 10)];
    expect(await Promise.all(past.map(isWaiting))).toEqual([false, true]);
    expect(await isWaiting(take(room.begin('b'), 1 + 5))).toBe(false);
    greedy.giveBack();
    expect(await isWaiting(past[1])).toBe(false);
  });

  it('is not waited for for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const room = new BodyRoom();
    begun(room, 'a', 32);
    await take(room.begin('a'), 1 + 16);
    const refused = expect(take(room.begin('a'), 1 + 16)).rejects.toThrow(new Refusal('overloaded'));
    vi.advanceTimersByTime(90_000);
    await refused;
  });

  it('is no longer waited for by a call that is over', async () => {
    const room = new BodyRoom();
    begun(room, 'a', 32);
    await take(room.begin('a'), 1 + 16);
    const gone = room.begin('a');
    const taken = take(gone, 1 + 10);
    expect(await isWaiting(taken)).toBe(true);
    gone.giveBack();
    expect(await isWaiting(taken)).toBe(false);
  });
});

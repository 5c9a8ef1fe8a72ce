import { Refusal } from '@lockstep/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BodyMemory, type BodyReservation } from './body-memory.ts';

/** The first mebibyte of a body is its small part. Memory fits 64 of them, and 48 MiB of large parts. */
const MEBIBYTE = 1024 * 1024;

/** Takes memory for the next mebibytes of a body. */
const take = (reservation: BodyReservation, mebibytes: number) => reservation.take(mebibytes * MEBIBYTE);

/** Begins a body of which the small part and `more` mebibytes have arrived. */
function begun(memory: BodyMemory, applicationId: string, more: number): BodyReservation {
  const reservation = memory.begin(applicationId);
  expect(take(reservation, 1 + more)).toBeUndefined();
  return reservation;
}

/** Whether a promise is still pending after everything that can continue has continued. */
async function isWaiting(taken: Promise<void> | undefined): Promise<boolean> {
  return (await Promise.race([taken, new Promise((resolve) => setImmediate(resolve, 'waiting'))])) === 'waiting';
}

describe('body memory', () => {
  afterEach(() => void vi.useRealTimers());

  it('is available at once for small parts, until all of it or an application’s share is taken', () => {
    const memory = new BodyMemory();
    for (let each = 0; each < 32; each++) begun(memory, 'a', 0);
    expect(() => memory.begin('a').take(1)).toThrow(new Refusal('overloaded'));
    for (let each = 0; each < 31; each++) begun(memory, 'b', 0);
    begun(memory, 'c', 0);
    expect(() => memory.begin('b').take(1)).toThrow(new Refusal('overloaded'));
    expect(() => memory.begin('d').take(1)).toThrow(new Refusal('overloaded'));
  });

  it('counts received bytes, not bodies that have sent nothing', () => {
    const memory = new BodyMemory();
    for (let each = 0; each < 1_000; each++) memory.begin('a');
    expect(take(memory.begin('a'), 1)).toBeUndefined();
  });

  it('is released once, and not taken after that', () => {
    const memory = new BodyMemory();
    for (let each = 0; each < 100; each++) {
      const reservation = begun(memory, 'a', 24);
      reservation.release();
      reservation.release();
      expect(take(reservation, 1_000)).toBeUndefined();
    }
    expect(begun(memory, 'b', 32).largeBytes).toBe(32 * MEBIBYTE);
  });

  it('makes large parts wait, in the order in which their bodies began', async () => {
    const memory = new BodyMemory();
    const running = [begun(memory, 'a', 24), begun(memory, 'b', 24)];
    const [first, second, third] = [memory.begin('c'), memory.begin('c'), memory.begin('d')];
    const later = take(third, 1 + 32);
    const sooner = take(second, 1 + 16);
    // The first to wait may exceed the limits, and so may the next once the first is released.
    expect(await isWaiting(later)).toBe(false);
    expect(await isWaiting(sooner)).toBe(true);
    const soonest = take(first, 1 + 16);
    expect(await isWaiting(soonest)).toBe(true);
    third.release();
    expect(await isWaiting(soonest)).toBe(false);
    expect(await isWaiting(sooner)).toBe(true);
    for (const reservation of running) reservation.release();
    expect(await isWaiting(sooner)).toBe(false);
  });

  it('does not let half-received bodies wait for each other', async () => {
    const memory = new BodyMemory();
    const [one, other] = [begun(memory, 'a', 24), begun(memory, 'b', 24)];
    const rest = [take(one, 16), take(other, 16)];
    expect(await isWaiting(rest[0])).toBe(false);
    expect(await isWaiting(rest[1])).toBe(true);
    one.release();
    expect(await isWaiting(rest[1])).toBe(false);
  });

  it('is not taken from others by an application that has used its share', async () => {
    const memory = new BodyMemory();
    const greedy = begun(memory, 'a', 32);
    const past = [take(memory.begin('a'), 1 + 10), take(memory.begin('a'), 1 + 10)];
    expect(await Promise.all(past.map(isWaiting))).toEqual([false, true]);
    expect(await isWaiting(take(memory.begin('b'), 1 + 5))).toBe(false);
    greedy.release();
    expect(await isWaiting(past[1])).toBe(false);
  });

  it('refuses a body that has waited too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const memory = new BodyMemory();
    begun(memory, 'a', 32);
    await take(memory.begin('a'), 1 + 16);
    const refused = expect(take(memory.begin('a'), 1 + 16)).rejects.toThrow(new Refusal('overloaded'));
    vi.advanceTimersByTime(90_000);
    await refused;
  });

  it('is no longer awaited by a call that has ended', async () => {
    const memory = new BodyMemory();
    begun(memory, 'a', 32);
    await take(memory.begin('a'), 1 + 16);
    const gone = memory.begin('a');
    const taken = take(gone, 1 + 10);
    expect(await isWaiting(taken)).toBe(true);
    gone.release();
    expect(await isWaiting(taken)).toBe(false);
  });
});

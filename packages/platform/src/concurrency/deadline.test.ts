import { expect, it } from 'vitest';
import { Deadline, Overload } from './deadline.ts';

const aborted = ({ signal }: Deadline) => new Promise((resolve) => signal.addEventListener('abort', resolve));

it('aborts when it is over', async () => {
  const deadline = new Deadline(20);
  expect(deadline.remainingMs).toBeGreaterThan(0);
  await aborted(deadline);
  expect(deadline.signal.reason).toBeInstanceOf(Overload);
});

it('aborts when the call has ended', () => {
  const deadline = new Deadline(60_000);
  deadline.end();
  expect(deadline.signal.reason).toBeInstanceOf(Overload);
});

it('does not count the time while it is paused', async () => {
  const [paused, other] = [new Deadline(30), new Deadline(60)];
  paused.pause();
  const left = paused.remainingMs;
  await aborted(other);
  expect(paused.signal.aborted).toBe(false);
  expect(paused.remainingMs).toBe(left);
  paused.resume();
  await aborted(paused);
});

it('does not resume after the call has ended', async () => {
  const deadline = new Deadline(20);
  deadline.pause();
  deadline.end();
  deadline.resume();
  expect(deadline.signal.aborted).toBe(true);
});

it('returns a result that comes in time, and throws otherwise', async () => {
  const deadline = new Deadline(60_000);
  expect(await deadline.race(Promise.resolve('in time'))).toBe('in time');
  await expect(deadline.race(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const never = deadline.race(new Promise(() => {}));
  deadline.end();
  await expect(never).rejects.toBeInstanceOf(Overload);
  await expect(deadline.race(new Promise(() => {}))).rejects.toBeInstanceOf(Overload);
});

import { Refusal } from '@lockstep/contract';
import { expect, it } from 'vitest';
import { Bodies } from './bodies.ts';

const MEBIBYTE = 1024 * 1024;
const overloaded = new Refusal('overloaded');

it('a party takes no more than its share, and gets it again when it releases it', () => {
  const bodies = new Bodies();
  bodies.take('a', 30 * MEBIBYTE);
  bodies.take('a', 2 * MEBIBYTE);
  expect(() => bodies.take('a', 1)).toThrow(overloaded);
  bodies.take('b', 1);
  bodies.take('a', -2 * MEBIBYTE);
  bodies.take('a', MEBIBYTE);
});

it('all parties together take no more than the process has', () => {
  const bodies = new Bodies();
  for (const party of ['a', 'b']) bodies.take(party, 32 * MEBIBYTE);
  expect(() => bodies.take('c', 1)).toThrow(overloaded);
  bodies.take('a', -32 * MEBIBYTE);
  bodies.take('c', 32 * MEBIBYTE);
});

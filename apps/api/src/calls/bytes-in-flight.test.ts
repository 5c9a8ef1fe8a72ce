import { Refusal } from '@lockstep/contract';
import { expect, it } from 'vitest';
import { BytesInFlight } from './bytes-in-flight.ts';

const MEBIBYTE = 1024 * 1024;
const overloaded = new Refusal('overloaded');

it('a party takes no more than its share, and gets it again when it releases it', () => {
  const inFlight = new BytesInFlight();
  inFlight.take('a', 30 * MEBIBYTE);
  inFlight.take('a', 2 * MEBIBYTE);
  expect(() => inFlight.take('a', 1)).toThrow(overloaded);
  inFlight.take('b', 1);
  inFlight.release('a', 2 * MEBIBYTE);
  inFlight.take('a', MEBIBYTE);
});

it('all parties together take no more than the process has', () => {
  const inFlight = new BytesInFlight();
  for (const party of ['a', 'b']) inFlight.take(party, 32 * MEBIBYTE);
  expect(() => inFlight.take('c', 1)).toThrow(overloaded);
  inFlight.release('a', 32 * MEBIBYTE);
  inFlight.take('c', 32 * MEBIBYTE);
});

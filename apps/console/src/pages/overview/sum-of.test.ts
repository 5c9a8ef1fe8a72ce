import { expect, it } from 'vitest';
import { sumOf } from './sum-of.ts';

it('counts the orders of all pieces', () => {
  const pieces = [600, 0, 300].map((accepted, startTime) => ({ startTime, accepted, succeeded: 0, failed: 1 }));
  expect([sumOf(pieces, 'accepted'), sumOf(pieces, 'succeeded'), sumOf(pieces, 'failed')]).toEqual([900, 0, 3]);
});

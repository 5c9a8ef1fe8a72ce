import { describe, expect, it } from 'vitest';
import { Sightings } from './sightings.ts';

const at = (...heads: [lane: number, batchId: bigint][]) => heads.map(([lane, batchId]) => ({ lane, batchId }));

describe('the sweep', () => {
  it('takes for forgotten what has been the oldest of its lane for two seconds', () => {
    const sightings = new Sightings(2_000);
    expect(sightings.findStale(at([1, 7n], [2, 8n]), 0)).toEqual([]);
    expect(sightings.findStale(at([1, 7n], [2, 9n]), 1_000)).toEqual([]);
    expect(sightings.findStale(at([1, 7n], [2, 9n]), 2_000)).toEqual(at([1, 7n]));
    expect(sightings.findStale(at([1, 7n], [2, 9n]), 3_000)).toEqual(at([2, 9n]));
  });

  it('gives what it has swept its time again', () => {
    const sightings = new Sightings(2_000);
    const looks = [0, 2_000, 3_000, 4_000, 5_000].map((nowMs) => sightings.findStale(at([1, 7n]), nowMs).length);
    expect(looks).toEqual([0, 1, 0, 0, 1]);
  });

  it('forgets a lane in which nothing is pending', () => {
    const sightings = new Sightings(2_000);
    sightings.findStale(at([1, 7n]), 0);
    sightings.findStale([], 1_000);
    expect(sightings.findStale(at([1, 7n]), 2_000)).toEqual([]);
  });
});

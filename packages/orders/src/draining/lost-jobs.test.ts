import { describe, expect, it } from 'vitest';
import { Sightings } from './lost-jobs.ts';

const at = (...heads: [lane: number, batchId: bigint][]) => heads.map(([lane, batchId]) => ({ lane, batchId }));
/** A pass over these lanes, or over all. */
const look = (oldest: ReturnType<typeof at>, afterLane = -1, throughLane = Number.POSITIVE_INFINITY) => ({
  oldest,
  afterLane,
  throughLane,
});

describe('the sweep', () => {
  it('returns batches that have been the oldest of their lane for two seconds', () => {
    const sightings = new Sightings(2_000);
    expect(sightings.findStale(look(at([1, 7n], [2, 8n])), 0)).toEqual([]);
    expect(sightings.findStale(look(at([1, 7n], [2, 9n])), 1_000)).toEqual([]);
    expect(sightings.findStale(look(at([1, 7n], [2, 9n])), 2_000)).toEqual(at([1, 7n]));
    expect(sightings.findStale(look(at([1, 7n], [2, 9n])), 3_000)).toEqual(at([2, 9n]));
  });

  it('restarts the time of a batch that it has returned', () => {
    const sightings = new Sightings(2_000);
    const looks = [0, 2_000, 3_000, 4_000, 5_000].map((nowMs) => sightings.findStale(look(at([1, 7n])), nowMs).length);
    expect(looks).toEqual([0, 1, 0, 0, 1]);
  });

  it('forgets a lane without pending orders', () => {
    const sightings = new Sightings(2_000);
    sightings.findStale(look(at([1, 7n])), 0);
    sightings.findStale(look([]), 1_000);
    expect(sightings.findStale(look(at([1, 7n])), 2_000)).toEqual([]);
  });

  it('remembers lanes that a pass does not cover', () => {
    const sightings = new Sightings(2_000);
    sightings.findStale(look(at([1, 7n], [2, 7n]), -1, 2), 0);
    sightings.findStale(look(at([5, 8n]), 2), 1_000);
    expect(sightings.findStale(look(at([2, 7n]), -1, 2), 2_000)).toEqual(at([2, 7n]));
    expect(sightings.findStale(look(at([1, 7n]), -1, 2), 4_000)).toEqual([]);
    expect(sightings.findStale(look(at([5, 8n]), 2), 5_000)).toEqual(at([5, 8n]));
  });
});

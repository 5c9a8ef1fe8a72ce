import type { BatchId, CustomerId } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { DrainTurns } from './drain-turns.ts';
import type { OrderWithId } from './outcome.ts';
import type { SeenChunk } from './pending-look.ts';

const MAX_WEIGHT = 10;

/** Customers, each a letter. */
const idsOf = (letters: string) => [...letters] as CustomerId[];

/** Chunks of one lane, of the customers that the letters name. */
const seen = (...customers: string[]): SeenChunk[] =>
  customers.map((letters, index) => ({
    batchId: String(index) as BatchId,
    lane: 1,
    weight: 6,
    customerIds: idsOf(letters),
  }));
const newTurns = (held: string, due: string) =>
  new DrainTurns({ ids: new Set(idsOf(held)), dueIds: new Set(idsOf(due)) }, MAX_WEIGHT);
/** The batches that are chosen of chunks, and how many were judged. */
const choose = (turns: DrainTurns, ...customers: string[]) => {
  const { chosen, judged } = turns.choose(seen(...customers));
  return [chosen.map(({ batchId }) => Number(batchId)), judged];
};
const take = (turns: DrainTurns, customers: string) => {
  const orders = [...customers].map((customerId, index) => ({ licenseOrderId: String(index), order: { customerId } }));
  const { together, alone } = turns.take(orders as OrderWithId[]);
  const places = (taken: OrderWithId[]) => taken.map(({ licenseOrderId }) => Number(licenseOrderId));
  return { together: places(together), alone: places(alone) };
};

describe('the turns of a drain', () => {
  it('leave out chunks of customers who are held', () => {
    const turns = newTurns('h', '');
    expect(choose(turns, 'h', 'h', 'ha', 'h')).toEqual([[2], 4]);
    expect(take(turns, 'hah')).toEqual({ together: [1], alone: [] });
    expect([...turns.leftIds]).toEqual(['h']);
  });

  it('give a held customer who is due one, for the oldest order', () => {
    const turns = newTurns('h', 'h');
    expect(choose(turns, 'h', 'h', 'ha')).toEqual([[0, 2], 3]);
    expect(take(turns, 'hhha')).toEqual({ together: [3], alone: [0] });
    expect(choose(turns, 'h')).toEqual([[], 1]);
  });

  it('end before the chunks weigh too much', () => {
    expect(choose(newTurns('h', ''), 'h', 'a', 'h', 'b', 'c')).toEqual([[1], 3]);
  });

  it('pass by what is due and too much for one drain, and keep nobody behind it', () => {
    const turns = newTurns('hij', 'hij');
    expect(choose(turns, 'h', 'i', 'ia', 'j')).toEqual([[0, 2], 4]);
    expect(take(turns, 'hia')).toEqual({ together: [2], alone: [0] });
    expect([...turns.leftIds]).toEqual(['i', 'j']);
  });

  it('let nobody overtake what cannot be read', () => {
    const turns = newTurns('h', 'h');
    expect(choose(turns, 'h', 'ha', 'b')).toEqual([[0, 1], 2]);
    turns.block(idsOf('ha'));
    expect(take(turns, 'hab')).toEqual({ together: [2], alone: [] });
    expect(choose(turns, 'h', 'a')).toEqual([[], 2]);
  });
});

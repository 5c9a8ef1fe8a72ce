import type { Ledger } from '@lockstep/assets';
import type { Outcome } from '@lockstep/orders/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budget } from './budget.ts';
import { comparisons, type Plan, planWithin } from './planner.ts';

const HISTORIES = 1_500;

describe('the planner', () => {
  it('does over any history what the model does', { timeout: 3_600_000 }, () => {
    fc.assert(comparisons(), { ...budget(HISTORIES), includeErrorInReport: true });
  });
});

/** A planner with a fault: `spoil` alters what it did. */
function spoilt(spoil: (outcomes: Outcome[], ledger: Ledger) => void): Plan {
  return (ledger, orders, within) => {
    const outcomes = planWithin(ledger, orders, within);
    spoil(outcomes, ledger);
    return outcomes;
  };
}

/** What the comparison with a planner that has a fault says. */
function reportOf(plan: Plan): string {
  try {
    fc.assert(comparisons(plan), { seed: 1, numRuns: 500, includeErrorInReport: true });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('The fault was not noticed');
}

describe('a planner with a fault is noticed', () => {
  const faults: [what: string, plan: Plan][] = [
    [
      'another cause',
      spoilt((outcomes) => {
        for (const { failure } of outcomes)
          if (failure?.cause === 'product_not_found') failure.cause = 'asset_not_found';
      }),
    ],
    [
      'a wrong count',
      spoilt((outcomes) => {
        for (const outcome of outcomes) if (outcome.accepted.order.orderType === 'delete_asset') outcome.products = 0;
      }),
    ],
    [
      'extend codes that are not replaced',
      spoilt((_, { assets }) => {
        for (const asset of assets.values()) if (asset.extends.c === '2') asset.extends = { c: '1' };
      }),
    ],
    [
      'a product that stays when its asset is revoked',
      spoilt((_, { changes }) => {
        for (const { products } of changes.revokedAssets) for (const product of products) product.revokedBy = null;
      }),
    ],
    [
      'a sync call that is carried out order by order',
      spoilt((outcomes) => {
        for (const outcome of outcomes) if (outcome.accepted.order.sequence === 2) outcome.failure = null;
      }),
    ],
    [
      'an asset that holds one more',
      (ledger, orders, within) => planWithin(ledger, orders, { ...within, onAsset: within.onAsset + 1 }),
    ],
    [
      'an asset that has one more extended attribute',
      (ledger, orders, within) => planWithin(ledger, orders, { ...within, codesOnAsset: within.codesOnAsset + 1 }),
    ],
    [
      'an order that touches one more',
      (ledger, orders, within) => planWithin(ledger, orders, { ...within, ofOrder: within.ofOrder + 1 }),
    ],
  ];
  it.each(faults)('%s', (_, plan) => {
    const report = reportOf(plan);
    expect(report).toMatch(/seed: 1, path: "[\d:]+"/);
    expect(report).toContain('Counterexample: [{"batches":[');
    expect(report).toContain('"orderType":"');
    expect(report).toMatch(/outcomes of the batch from place \d+|the ledger in the end/);
  });
});

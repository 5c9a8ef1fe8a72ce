import type { Ledger } from '@lockstep/assets';
import type { Outcome } from '@lockstep/orders/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budget } from './budget.ts';
import { comparisons, type Plan, planWithin } from './planner.ts';

it('the planner agrees with the model on any history', { timeout: 3_600_000 }, () => {
  fc.assert(comparisons(), { ...budget(500), includeErrorInReport: true });
});

/** A planner with a fault: `spoil` changes its results. */
function spoilt(spoil: (outcomes: Outcome[], ledger: Ledger) => void): Plan {
  return (ledger, orders, within) => {
    const outcomes = planWithin(ledger, orders, within);
    spoil(outcomes, ledger);
    return outcomes;
  };
}

/** Returns the report of the comparison with a faulty planner. */
function reportOf(plan: Plan): string {
  try {
    fc.assert(comparisons(plan), { seed: 1, numRuns: 500, includeErrorInReport: true });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('The comparison did not detect the fault');
}

describe('the comparison detects', () => {
  const faults: [what: string, plan: Plan][] = [
    [
      'a wrong count',
      spoilt((outcomes) => {
        for (const outcome of outcomes) if (outcome.accepted.order.orderType === 'delete_asset') outcome.products = 0;
      }),
    ],
    [
      'a product that stays active when its asset is revoked',
      spoilt((_, { changes }) => {
        for (const { products } of changes.revokedAssets) for (const product of products) product.revokedBy = null;
      }),
    ],
  ];
  it.each(faults)('%s', (_, plan) => {
    const report = reportOf(plan);
    expect(report).toMatch(/seed: 1, path: "[\d:]+"/);
    expect(report).toContain('Counterexample: [{"batches":[');
    expect(report).toContain('"orderType":"');
    expect(report).toMatch(/outcomes of the batch from place \d+|the final ledger/);
  });
});

import { expect, it } from 'vitest';
import { FAULTS, FaultPlan } from './faults.ts';

const planOf = (seed: number) => {
  const plan = new FaultPlan(seed);
  return Array.from({ length: 300 }, (_, index) => plan.next('createBatchOrder', `batch ${index}`, index * 1_000));
};

it('plans the same faults for a seed, and others for another', () => {
  expect(planOf(1)).toEqual(planOf(1));
  expect(planOf(1)).not.toEqual(planOf(2));
});

it('plans every fault but that of a batch with a name for it, the lost answer first', () => {
  const faults = planOf(3).filter((fault) => fault !== null);
  expect([...new Set(faults), 'unknown'].sort()).toEqual(Object.keys(FAULTS).sort());
  expect(faults[0]).toBe('lost');
});

it('lets a call through after two faults in a row, and refuses its token once', () => {
  const plan = new FaultPlan(4);
  const faults = Array.from({ length: 3_000 }, () => plan.next('getEvents', 'one call', 0));
  const rows = faults.map((fault) => (fault === null ? ' ' : 'x')).join('');
  expect(rows).toContain(' xx ');
  expect(rows).not.toContain('xxx');
  expect(faults.filter((fault) => fault === 'revoked')).toHaveLength(1);
});

it('knows calls by their content, whatever was called in between', () => {
  const plan = new FaultPlan(5);
  const rows = Map.groupBy(
    Array.from({ length: 2_000 }, (_, index) => [index % 7, plan.next('getAsset', `asset ${index % 7}`, 0)] as const),
    ([asset]) => asset,
  );
  for (const [, all] of rows)
    expect(all.map(([, fault]) => (fault === null ? ' ' : 'x')).join('')).not.toContain('xxx');
});

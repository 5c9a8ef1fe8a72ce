import { expect, it } from 'vitest';
import { FaultPlan } from './faults.ts';
import { FAULTS } from './record.ts';

const callOf = (content: string, time = 0, key: string | null = null) =>
  ({ id: 'takeAssetNumbers', content, key, time }) as const;
const planOf = (seed: number) => {
  const plan = new FaultPlan(seed);
  return Array.from({ length: 300 }, (_, index) => plan.next(callOf(`call ${index}`, index * 1_000)));
};
/** Draws an x for each call that fails. */
const draw = (faults: readonly unknown[]) => faults.map((fault) => (fault === null ? ' ' : 'x')).join('');

it('plans the same faults for a seed, and others for another', () => {
  expect(planOf(1)).toEqual(planOf(1));
  expect(planOf(1)).not.toEqual(planOf(2));
});

it('plans every fault but that of a batch with a name for it, the lost answer first', () => {
  const faults = planOf(3).filter((fault) => fault !== null);
  expect([...new Set(faults), 'unknown'].sort()).toEqual(Object.keys(FAULTS).sort());
  expect(faults[0]).toBe('lost');
});

it('lets a task through after two faults in a row, whatever others do, and revokes its token once', () => {
  const plan = new FaultPlan(4);
  const calls = Array.from({ length: 3_000 }, (_, index) => [
    index % 7,
    plan.next(callOf('size 1', 0, `${index % 7}`)),
  ]);
  for (const [, ofTask] of Map.groupBy(calls, ([task]) => task)) {
    const rows = draw(ofTask.map(([, fault]) => fault));
    expect(rows).toContain(' xx ');
    expect(rows).not.toContain('xxx');
  }
  expect(calls.filter(([, fault]) => fault === 'revoked')).toHaveLength(1);
});

it('seldom disturbs a call that several tasks may make', () => {
  const plan = new FaultPlan(5);
  const rows = draw(Array.from({ length: 3_000 }, () => plan.next(callOf('size 1'))));
  expect(rows).toMatch(/x {20,}x/);
  expect(rows).not.toMatch(/x {1,19}x/);
});

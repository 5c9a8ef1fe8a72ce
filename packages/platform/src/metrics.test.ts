import { afterEach, expect, it, vi } from 'vitest';
import { createMetrics } from './metrics.ts';

afterEach(() => vi.useRealTimers());

it('metrics are made once a second at most, however many ask', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  let looks = 0;
  const metrics = createMetrics(async () => {
    looks += 1;
    return { lanes: [], oldestPendingSeconds: 0 };
  });
  const texts = await Promise.all(Array.from({ length: 100 }, () => metrics.read()));
  expect(new Set(texts).size).toBe(1);
  metrics.ordersAccepted.inc();
  expect(await metrics.read()).toBe(texts[0]);
  expect(looks).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(await metrics.read()).toContain('lockstep_orders_accepted_total 1');
  expect(looks).toBe(2);
});

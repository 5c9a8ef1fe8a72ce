import { Gauge } from 'prom-client';
import { afterEach, expect, it, vi } from 'vitest';
import { createMetrics } from './metrics.ts';

afterEach(() => vi.useRealTimers());

it('metrics are computed once a second at most, however many callers ask', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const metrics = createMetrics();
  let reads = 0;
  new Gauge({
    name: 'reads',
    help: 'How often it was read',
    registers: [metrics.registry],
    collect() {
      reads += 1;
      this.set(reads);
    },
  });
  const texts = await Promise.all(Array.from({ length: 100 }, () => metrics.read()));
  expect(new Set(texts).size).toBe(1);
  expect(await metrics.read()).toBe(texts[0]);
  expect(texts[0]).toContain('\nreads 1\n');
  vi.advanceTimersByTime(1_000);
  expect(await metrics.read()).toContain('\nreads 2\n');
});

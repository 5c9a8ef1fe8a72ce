import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { runJob } from '../harness/processes/processes.ts';

it('bench:capacity prints the costs of an order in batches of both sizes', async () => {
  const json = join(inject('directory'), 'capacity.json');
  const options = ['--quick', '--json', json];
  const { status, stdout, stderr } = await runJob(['npm', 'run', '-s', 'bench:capacity', '--', ...options]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const found = JSON.parse(readFileSync(json, 'utf8'));
  for (const size of [100, 1]) {
    // With so few orders, the kernel may count no processor ticks at all.
    expect(found.batches[size]).toMatchObject({
      'orders/s': expect.any(Number),
      'API µs': expect.any(Number),
      'standby µs': expect.any(Number),
      'Redis commands': expect.any(Number),
    });
    expect(found.batches[size]['WAL bytes']).toBeGreaterThan(1_000);
    expect(found.batches[size]['HTTP bytes']).toBeGreaterThan(500);
    expect(found.batches[size]['PostgreSQL bytes']).toBeGreaterThan(500);
    expect(found.batches[size]['stored bytes']).toBeGreaterThan(0);
  }
  expect(found.process['API connections']).toBeGreaterThanOrEqual(3);
  expect(found.process['worker connections']).toBeGreaterThanOrEqual(2);
  for (const size of [100, 1]) expect(stdout).toContain(`\n| In batches of ${size} |`);
}, 900_000);

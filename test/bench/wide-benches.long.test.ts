import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { runJob } from '../harness/processes.ts';

/** Each command, small, with a copy of the page whose tables it writes; what it wrote to the file that it was given. */
async function runBench(command: string, ...options: string[]) {
  const [json, page] = [`${command}.json`, `${command}.md`].map((name) => join(inject('directory'), name)) as [
    string,
    string,
  ];
  copyFileSync('docs/scaling.md', page);
  const { status, stdout, stderr } = await runJob([
    'npm',
    'run',
    '-s',
    command,
    '--',
    '--quick',
    '--json',
    json,
    '--page',
    page,
    ...options,
  ]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return { stdout, page: readFileSync(page, 'utf8'), found: JSON.parse(readFileSync(json, 'utf8')) };
}

it('bench:capacity prints what an order takes, in batches of both sizes, and writes it into the page', async () => {
  const { stdout, page, found } = await runBench('bench:capacity');
  for (const size of [100, 1]) {
    // Of so few orders the kernel's ticks may count no processor time at all for the smallest.
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
  const [, days] = /\n(\| In batches of 100 \|.*?)\n\n/s.exec(stdout)!;
  expect(page).toContain(days);
}, 900_000);

it('bench:wide measures workers with each way to replicate, and writes them into the page', async () => {
  const { stdout, page, found } = await runBench('bench:wide', '--workers', '2');
  expect(found.rows).toHaveLength(4);
  expect(found.rows).toMatchObject([
    { replication: 'primary alone', workers: 2, 'batches of 100, standby µs': 0 },
    { replication: 'a standby', workers: 2 },
    { replication: 'synchronous, on', workers: 2 },
    { replication: 'synchronous, remote_apply', workers: 2 },
  ]);
  for (const row of found.rows.slice(1)) expect(row['batches of 1, standby µs']).toBeGreaterThan(0);
  const [, table] = /\n(\| PostgreSQL \| workers \|.*?)\n\n/s.exec(stdout)!;
  expect(page).toContain(table);
}, 900_000);

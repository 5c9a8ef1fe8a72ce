import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { runJob } from '../harness/processes/processes.ts';

/** One quick measure of each kind, with a figure that it must report. */
const MEASURES: [name: string, figure: string][] = [
  ['floor-unnest', 'orders/s'],
  ['floor-copy', 'orders/s'],
  ['async-100x8', 'orders/s'],
  ['async-100x8', 'PostgreSQL µs'],
  ['async-100x8-far', 'WAL bytes'],
  ['backlog-workers2', 'drains at once, most'],
  ['singles-beside-backlog', 'accepted ÷ idle'],
  ['fairness', 'batch p95 ms'],
  ['fairness', 'backlog ÷ alone'],
  ['peer-bullmq', 'orders/s'],
  ['peer-graphile-http-1x64', 'orders/s'],
  ['peer-pgboss', 'orders/s'],
  ['latency-100', 'bare insert p99.9 ms'],
  ['polls-8', 'calls/s'],
  ['neighbor-assets', 'p99 ms'],
  ['webhook-50ms', 'events/s'],
  ['bare-row-8', 'calls/s'],
];

it('reports a figure for each measure, in a table and in a file', async () => {
  const file = join(inject('directory'), 'bench.json');
  const only = [...new Set(MEASURES.map(([name]) => name))].join(',');
  const { status, stdout, stderr } = await runJob([
    'npm',
    'run',
    '-s',
    'bench',
    '--',
    '--quick',
    '--only',
    only,
    '--json',
    file,
  ]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const { figures } = JSON.parse(readFileSync(file, 'utf8')) as {
    figures: { measure: string; name: string; values: number[] }[];
  };
  for (const [measure, name] of MEASURES) {
    const figure = figures.find((each) => each.measure === measure && each.name === name);
    expect.soft([measure, name, figure?.values]).toEqual([measure, name, [expect.any(Number)]]);
    expect.soft(stdout.split('\n').some((line) => line.startsWith(measure) && line.includes(name))).toBe(true);
  }
  expect(stdout).toContain('PostgreSQL 1 ms away ÷ beside, batches of 100');
}, 600_000);

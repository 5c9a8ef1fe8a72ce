import { expect, it } from 'vitest';
import { runJob } from '../harness/processes/processes.ts';

/** One measure of each kind. */
const MEASURES =
  'async-100x8,sync-1x64,backlog-workers1,memory,fairness,sync-own-backlog,latency-100,start,polls-64,filled-1m';

it('reports figures of each measure', async () => {
  const options = ['--quick', '--rounds', '1', '--only', MEASURES];
  const { status, stdout, stderr } = await runJob(['npm', 'run', '-s', 'bench', '--', ...options]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const name of MEASURES.split(',')) {
    expect.soft(stdout).toMatch(new RegExp(`^${name} +\\S.*  +[\\d.,]+  +[\\d.,]+ to [\\d.,]+$`, 'm'));
  }
}, 600_000);

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RULES } from '@lockstep/cli/testing';
import { afterAll, expect, inject, it } from 'vitest';
import { COMMAND } from '../harness/processes/command-line.ts';
import { endEverything, startJob } from '../harness/processes/processes.ts';

afterAll(() => endEverything());

/** Starts `lockstep certify --json` with these words. */
const start = (...words: string[]) => startJob([...COMMAND, 'certify', '--json', ...words]);
const certify = (seed: number, ...integration: string[]) => start('--seed', `${seed}`, '--', ...integration).ended;
/** The command of an integration in this repository. */
const integrationOf = (name: string) => [process.execPath, `test/harness/integrations/${name}.ts`];

// A right integration must get through with every seed.
it.concurrent.each([1, 2])('passes an integration that does everything right (seed %i)', async (seed) => {
  const { status, stdout, stderr } = await certify(seed, ...integrationOf('correct'));
  const { findings, notTried, faults } = JSON.parse(stdout);
  expect({ status, findings, notTried }).toEqual({ status: 0, findings: [], notTried: [] });
  expect(Object.keys(faults)).toHaveLength(10);
  expect(JSON.parse(/^\{.*\}$/m.exec(stderr)![0])).toMatchObject({
    ...{ 'A-1': 'succeeded', 'A-12': 'succeeded', REFUSED: 'field_missing', FAILED: 'customer_not_found' },
    ...{ SLOW: 'succeeded', HELD: 'succeeded', 'REFUSED sync': 'field_missing', 'FAILED sync': 'customer_not_found' },
    ...{ 'UNKNOWN sync': 'succeeded', 'SLOW sync': 'succeeded' },
  });
});

/** Submits batches with the command of an example. */
const SUBMIT = `for id in A B REFUSED-1 FAILED-1 HELD-1; do
  sed "s/DEMO-2026-0001/$id/" examples/first-batch.json > "$0"; "$@" submit "$0" || [ "$id" = REFUSED-1 ] || exit 1
done`;

it.concurrent.for([
  ['python3', 'examples/python/example.py'],
  ['java', 'examples/java/Example.java'],
] as const)('passes the example of %s', async ([program, example], { skip }) => {
  if (spawnSync(program, ['--version']).status !== 0) skip(`${program} is not installed`);
  const file = join(inject('directory'), `${program}.json`);
  const { status, stdout } = await certify(5, 'sh', '-c', SUBMIT, file, program, example);
  expect({ status, findings: JSON.parse(stdout).findings }).toEqual({ status: 0, findings: [] });
});

it.concurrent('names each sin of a naive integration, with what proves it', async () => {
  const { status, stdout, stderr } = await certify(3, ...integrationOf('naive'));
  expect(stderr).toMatch(/^done\n/m);
  expect(status).toBe(2);
  const { findings } = JSON.parse(stdout);
  expect(findings.map(({ rule }: { rule: string }) => rule)).toEqual(Object.keys(RULES));
  for (const { evidence } of findings) expect(evidence[0]).toMatchObject({ time: expect.any(Number) });
});

it('reports at Ctrl-C, and leaves nothing behind, nor what a killed run has left', async () => {
  const killed = `lockstep-certify-${spawnSync('true').pid}-killed`;
  mkdirSync(join(tmpdir(), killed));
  const job = start();
  await expect.poll(() => job.output.stderr).toContain('LOCKSTEP_APP_SECRET=');
  const { status, stdout } = await job.endGroup('SIGINT');
  expect(status).toBe(130);
  const { calls, findings, notTried } = JSON.parse(stdout);
  expect({ calls, findings }).toEqual({ calls: 0, findings: [] });
  for (const rule of Object.keys(RULES)) expect(notTried).toContainEqual(expect.stringMatching(`^${rule}: `));
  // Other runs may have theirs.
  expect(readdirSync(tmpdir()).filter((name) => name.includes(`certify-${job.pid}-`) || name === killed)).toEqual([]);
});

it('fails if the command fails, or does not exist', async () => {
  const failing = `for (let call = 0; call < 20; call += 1)
    await fetch(process.env.LOCKSTEP_BASE_URL + '/oauth2/token', { method: 'POST' }).catch(() => {});
  process.exit(process.argv.at(-1));`;
  // Without --, the options that follow the command are its own.
  const failed = await start(process.execPath, '--input-type=module', '--eval', failing, '--', '--seed', '3').ended;
  expect({ status: failed.status, ...JSON.parse(failed.stdout) }).toMatchObject({ status: 2, calls: 20, findings: [] });
  expect(failed.stderr).toContain('status 3');
  expect((await start('sh', '-c', 'kill -9 $$').ended).stderr).toContain('SIGKILL');
  const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000)`;
  expect((await start('--for', '1', process.execPath, '--eval', stubborn).ended).status).toBe(2);
  expect(await certify(1, '/no/such/command')).toMatchObject({ status: 64, stdout: '' });
});

import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { FLOORS } from '../../vitest.config.ts';
import { PACKAGE, readRepositoryFile } from '../harness/processes/deployment-files.ts';
import { REPOSITORY, runJob } from '../harness/processes/processes.ts';

/** The tools of developers agree: Node.js, the hosted workflow, the spell check and coverage. */
interface Workflow {
  permissions: Record<string, string>;
  concurrency: { group: string };
  jobs: Record<
    string,
    { 'timeout-minutes'?: number; container: { image: string }; steps: { uses?: string; run?: string }[] }
  >;
}

const workflow = parse(readRepositoryFile('.github/workflows/ci.yml')) as Workflow;
const [major] = PACKAGE.devDependencies.node!.split('.');
const [, least] = /^>=(\d+)$/.exec(PACKAGE.engines.node)!;

it('.nvmrc and the package that scripts find first have one version of Node.js', async () => {
  expect(readRepositoryFile('.nvmrc').trim()).toBe(major);
  const { stdout } = await runJob(['npm', 'exec', '--', 'node', '--version']);
  expect(stdout.trim()).toBe(`v${PACKAGE.devDependencies.node}`);
});

it('scripts run the installed Node.js, so that an older one may install', () => {
  expect(Number(least)).toBeLessThanOrEqual(Number(major));
  expect(Object.values(PACKAGE.scripts).filter((script) => /\/node\b|\bnpx\b/.test(script))).toEqual([]);
  for (const page of ['README.md', '.ci/run', 'CONTRIBUTING.md']) {
    expect(readRepositoryFile(page)).toContain(`Node.js ${least} or later`);
  }
});

it('the hosted workflow runs .ci/run with the oldest supported Node.js, few permissions and a time limit', () => {
  const jobs = Object.values(workflow.jobs);
  expect(jobs.map(({ steps }) => steps.at(-1)?.run)).toEqual(['.ci/run']);
  for (const { container, 'timeout-minutes': minutes } of jobs) {
    expect(container.image).toMatch(new RegExp(`^node:${least}\\.`));
    expect(minutes).toBeGreaterThan(0);
  }
  expect(workflow.permissions).toEqual({ contents: 'read' });
  expect(workflow.concurrency.group).toContain('github.ref');
});

it('the hosted workflow pins actions to commits, with the version in a comment', () => {
  const uses = readRepositoryFile('.github/workflows/ci.yml').match(/uses: .*/g);
  expect(uses).toEqual([expect.stringMatching(/^uses: actions\/checkout@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)]);
});

it('the words of the spell check are sorted and unique', () => {
  const words = readRepositoryFile('cspell-words.txt').trimEnd().split('\n');
  expect(words).toEqual([...new Set(words)].sort());
});

it('every package has a minimum coverage, except those that run elsewhere', () => {
  const elsewhere = ['apps/console', 'packages/embedded-postgres'];
  const packages = globSync('{apps,packages}/*', { cwd: REPOSITORY });
  expect([...Object.keys(FLOORS), ...elsewhere].sort()).toEqual(packages.sort());
});

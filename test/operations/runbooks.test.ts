import { existsSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read, tableOf } from '../harness/browser/pages.ts';
import { findCommand } from '../harness/processes/command-line.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

const INDEX = 'docs/runbooks/README.md';
const RUNBOOKS = globSync('docs/runbooks/*.md', { cwd: REPOSITORY }).filter((page) => page !== INDEX);
const SOURCES = globSync('{packages,apps}/*/src/**/*.ts', { cwd: REPOSITORY }).filter(
  (file) => !file.endsWith('.test.ts'),
);
const CODE = SOURCES.map(read).join('\n');

interface Alert {
  alert: string;
  annotations: Record<'summary' | 'description' | 'runbook', string>;
}

const alerts: Alert[] = parse(read('deploy/kubernetes/components/prometheus-operator/alerts.yaml')).spec.groups.flatMap(
  ({ rules }: { rules: Alert[] }) => rules,
);

/** The code in the lines of a page, without fenced blocks. */
const codeIn = (text: string) =>
  [...text.replace(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);

/** What the index lists under a header, each with its runbook. */
const listed = (header: string) =>
  tableOf(INDEX, 'Runbook', header).flatMap(([link = '', names = '']) => {
    const [, file] = /\((.+)\)/.exec(link)!;
    return codeIn(names).map((name) => ({ name, runbook: `docs/runbooks/${file}` }));
  });

/** The messages of log lines at `warn` or above, as the sources have them. */
function warningsIn(source: string): string[] {
  const calls = source.matchAll(/\blog\.(?:warn|error|fatal)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g);
  return [...calls].flatMap(([, words]) => /'([^']+)',?\s*$/.exec(words!)?.[1] ?? []);
}

describe('every alert', () => {
  it.each(alerts)('$alert has a runbook that names it, as the index does', ({ alert, annotations }) => {
    expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook']);
    expect(existsSync(join(REPOSITORY, annotations.runbook))).toBe(true);
    expect(codeIn(read(annotations.runbook))).toContain(alert);
    expect(listed('Alerts')).toContainEqual({ name: alert, runbook: annotations.runbook });
  });

  it('of the index exists', () => {
    expect(listed('Alerts').map(({ name }) => name)).toHaveLength(alerts.length);
  });
});

it.each(RUNBOOKS)('%s says what you see, what it means, what to check and what to do', (page) => {
  const titles = [...read(page).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(titles).toEqual(['What you see', 'What it means', 'What to check', 'What to do']);
  expect(read(INDEX)).toContain(`(${basename(page)})`);
});

it('metrics of the index are those that processes have, and runbooks name no other', async () => {
  const { stack } = await testStack();
  const known = listed('Metrics').map(({ name }) => name);
  const names = () => stack.metrics.registry.getMetricsAsArray().map(({ name }) => name);
  // A worker adds its own when it has started.
  await expect.poll(() => new Set(names().filter((name) => name.startsWith('lockstep_')))).toEqual(new Set(known));
  const named = [...RUNBOOKS, 'docs/deployment.md'].flatMap((page) => read(page).match(/\blockstep_[a-z_]+/g) ?? []);
  expect(named.filter((name) => ![...known, 'lockstep_service'].includes(name))).toEqual([]);
});

describe('log lines', () => {
  it('of the index are all that processes write at warn or above', () => {
    const written = SOURCES.flatMap((file) => warningsIn(read(file)));
    const names = listed('Warnings and errors').map(({ name }) => name);
    expect(names.toSorted()).toEqual([...new Set(written)].toSorted());
  });

  it('that runbooks name exist', () => {
    const pages = [...RUNBOOKS, 'docs/deployment.md'].map(read).join('\n');
    const named = codeIn(pages).filter((code) =>
      /^[a-z]+( [a-z]+)*( (failed|stalled|resumed|lost|exiting)|;)/.test(code),
    );
    expect(named.filter((line) => !line.includes('(') && !CODE.includes(line))).toEqual([]);
  });
});

it('health reasons of the index begin as those of the sources', () => {
  const fragments = listed('Reasons').map(({ name }) => name.replace(/ ?….*$/, ''));
  expect(fragments.filter((fragment) => !CODE.includes(fragment))).toEqual([]);
});

it('commands of the pages exist, with their options', () => {
  const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: REPOSITORY }).map(read).join('\n');
  const shown = pages.matchAll(
    /(?:npx |bin\/|`)lockstep (submit|events|completion|certify|[a-z]+ [a-z-]+)\b([^`\n]*)/g,
  );
  const commands = Map.groupBy(shown, ([, command]) => command!);
  expect(commands.size).toBeGreaterThan(10);
  for (const [command, uses] of commands) {
    const help = findCommand(command).helpInformation();
    const options = uses.flatMap(([, , rest]) => rest!.match(/--[a-z-]+/g) ?? []);
    expect([command, options.filter((option) => !help.includes(option))]).toEqual([command, []]);
  }
});

import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@lockstep/config';
import { findOperation, type OperationId, operations, repeatOf } from '@lockstep/contract';
import { OperatorRole } from '@lockstep/contract/console';
import type { Repeat } from '@lockstep/contract/routes';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { blocksOf, code, PAGES, read, tableOf } from '../harness/browser/pages.ts';
import { findCommand } from '../harness/processes/command-line.ts';
import { PACKAGE } from '../harness/processes/deployment-files.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';
import { testDatabase } from '../harness/stack.ts';

const { scripts } = PACKAGE;

describe('pages', () => {
  it.each([
    [['README.md'], 500],
    [['docs/architecture.md'], 1_500],
    [globSync(['*.md', 'docs/**/*.md', 'test/bench/*.md'], { cwd: REPOSITORY }), 36_500],
  ])('%j are at most %i words', (files, max) => {
    expect(files.flatMap((file) => read(file).match(/\S+/g) ?? []).length).toBeLessThanOrEqual(max);
  });

  it('say in their first line whom they serve', () => {
    const pages = globSync(['*.md', 'docs/**/*.md', 'test/bench/*.md'], {
      cwd: REPOSITORY,
      exclude: ['README.md', 'docs/decisions/0*.md'],
    });
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.filter((page) => !/^# .+\n\nFor [a-z]/.test(read(page)))).toEqual([]);
  });
});

/** The pages for users, and those for developers. */
const BENCH_PAGES = globSync('test/bench/*.md', { cwd: REPOSITORY });
const ALL_PAGES = [...PAGES, ...BENCH_PAGES, 'CONTRIBUTING.md', 'SECURITY.md'];

describe('commands', () => {
  it('to start and to test are those of README.md, CONTRIBUTING.md, package.json and .ci/run', () => {
    const commands = ['README.md', 'CONTRIBUTING.md'].flatMap((page) =>
      blocksOf(page, 'sh').filter((block) => block.includes('npm ci')),
    );
    expect(commands).toEqual([
      ...['npm ci && npm start\n', 'npm ci && npm test\n'],
      ...['npm ci && npm run dev\n', 'npm ci && npm test\n'],
    ]);
    expect(scripts).toMatchObject({ start: expect.any(String), test: expect.any(String), check: expect.any(String) });
    const [, testCommand] = commands.map((command) => command.trim());
    const steps = [...read('.ci/run').matchAll(/^step '(.*)'$/gm)].map(([, command]) => command);
    expect(steps).toEqual([`${testCommand} -- --coverage`, 'npm run test:long', 'npm run check']);
    expect(statSync(join(REPOSITORY, '.ci/run')).mode & 0o111).toBe(0o111);
  });

  it.each(ALL_PAGES)('of %s are scripts of package.json', (page) => {
    const named = [...read(page).matchAll(/npm run (?:--silent )?(\w+(?::\w+)*)/g)].map(([, name]) => name!);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

describe('services that docker compose is asked for', () => {
  const { services } = parse(read('docker-compose.yml')) as { services: Record<string, unknown> };

  it.each(PAGES)('in %s are those of docker-compose.yml', (page) => {
    const named = [...read(page).matchAll(/docker compose (?:exec|run)(?: -\S+)* (\w+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !(name in services))).toEqual([]);
  });
});

describe('docs/integrating.md', () => {
  it('says what a repeat of each operation does that can change something', () => {
    const classes = tableOf('docs/integrating.md', '`repeat`', 'Operations', 'After no answer or an `unclear` cause');
    const needKey = tableOf('docs/integrating.md', 'Operation', 'A repeat without a key', 'First');
    const named = Object.fromEntries(classes.map(([repeat, names]) => [repeat, names!.split(', ')]));
    const key = needKey.flatMap(([names]) => names!.split(', '));
    const changing = (Object.keys(operations) as OperationId[]).filter((id) => operations[id].method !== 'GET');
    const of = (repeat: Repeat) =>
      changing.filter((id) => repeatOf(id) === repeat).map((id) => findOperation(id).name ?? id);
    expect(named['`safe`']!.toSorted()).toEqual(['GET', ...of('safe')].toSorted());
    expect(named['`again`']!.toSorted()).toEqual(of('again').toSorted());
    expect(key.toSorted()).toEqual(of('key').toSorted());
  });
});

describe('docs/console.md', () => {
  it('explains every role', () => {
    const roles = tableOf('docs/console.md', 'Role', 'For whom', 'May').map(([role]) => role);
    expect(roles).toEqual(OperatorRole.options.map(code));
  });

  it('names the commands for operators that there are', () => {
    const commands = findCommand('operator').commands.map((command) => command.name());
    const named = tableOf('docs/console.md', 'Command', 'What it does').map(
      ([command]) => command!.match(/^`operator ([\w-]+)/)?.[1],
    );
    expect(named).toEqual(commands);
  });
});

describe('tables', async () => {
  const database = await testDatabase();

  it('of variables in docs/deployment.md are those that the service reads, with their defaults', () => {
    const names = new Set<string>();
    const defaults: Record<string, unknown> = readConfig(
      new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void names.add(String(name)) }),
    );
    const rows = tableOf('docs/deployment.md', 'Variable', 'Default', 'Meaning').map(([name, value]) => [name, value]);
    expect(rows).toEqual(
      [...names].map((name) => [code(name), defaults[name] === undefined ? '–' : code(String(defaults[name]))]),
    );
  });

  it('of variables of commands that call the API in docs/deployment.md are those that it reads', () => {
    const help = findCommand('member seats').helpInformation();
    const names = [...help.matchAll(/\(env:\s+(\w+)\)/g)].map(([, name]) => code(name!));
    expect(tableOf('docs/deployment.md', 'Variable', 'Meaning').map(([name]) => name)).toEqual(names);
  });

  it('of packages in docs/architecture.md are the workspaces', () => {
    const workspaces = globSync(PACKAGE.workspaces, { cwd: REPOSITORY }).map(code);
    const rows = tableOf('docs/architecture.md', 'Package', 'What it is for').map(([name]) => name!);
    expect(rows.sort()).toEqual(workspaces.sort());
  });

  it('of stored data in docs/security.md names each table with personal data', async () => {
    const { rows } = await sql<{ name: string }>`
      select distinct table_name as name from information_schema.columns
      where table_schema = 'public'
      and column_name ~ '(^|_)(mobile|address|remark|payload|content)$'`.execute(database.db);
    const stored = tableOf('docs/security.md', 'Data', 'Stored').flat().join(' ');
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.filter(({ name }) => !stored.includes(code(name)))).toEqual([]);
  });

  it('and queries of the pages run on the database', async () => {
    const queries = ALL_PAGES.filter((page) => page !== 'docs/security.md').flatMap((page) => [
      ...blocksOf(page, 'sql'),
      ...[...read(page).matchAll(/`(select [^`]+)`/g)].map(([, query]) => query!),
    ]);
    expect(queries.length).toBeGreaterThan(10);
    for (const query of queries) await sql.raw(query).execute(database.db);
  });
});

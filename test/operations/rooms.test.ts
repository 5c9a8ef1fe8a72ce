import { existsSync, globSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { read } from '../harness/browser/pages.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';
import { ROOMS as PURPOSES } from './rooms.ts';

/** The rooms, from the top down. */
const ROOMS = Object.keys(PURPOSES);
const FILES = globSync(['*.ts', '{packages,apps,deploy,test,examples}/**/*.{ts,tsx}'], {
  cwd: REPOSITORY,
  exclude: ['**/node_modules', '**/dist', '**/generated'],
});
const DECISIONS = globSync('docs/decisions/*.md', { cwd: REPOSITORY });
/** The console's pages lead to each other, as they do for their readers, so they and their frame are in no room. */
const IS_IN_NO_ROOM = /^apps\/console\/(?!src\/(kit|words|api)\/)/;
const SOURCES = FILES.filter(
  (file) => file.includes('/src/') && !/\.test\.ts$/.test(file) && !IS_IN_NO_ROOM.test(file),
);

/** The room of a file, as rooms.ts names it. For a file at the root of a package, the folder of its sources. */
const roomOf = (file: string) => dirname(file).replace(/^(packages|apps)\//, '');

/** The files that a file imports by a path, rather than by a package's name. */
const importsOf = (file: string) =>
  [...read(file).matchAll(/(?:\bfrom |\bimport\()'(\.[^']+)'/g)].map(([, path]) => join(dirname(file), path!));

/** The room of a file; of one at the root of a package, the rooms of what that imports. */
function roomsBehind(file: string): string[] {
  const room = roomOf(file);
  return ROOMS.includes(room) ? [room] : importsOf(file).flatMap(roomsBehind);
}

describe('rooms', () => {
  it('are those in rooms.ts', () => {
    const rooms = new Set(SOURCES.map(roomOf).filter((room) => !room.endsWith('/src')));
    expect(ROOMS.toSorted()).toEqual([...rooms].sort());
  });

  it('import no room above them, nor by way of a file at the root', () => {
    const upward = SOURCES.flatMap((file) =>
      importsOf(file)
        .flatMap(roomsBehind)
        .filter((room) => ROOMS.indexOf(room) < ROOMS.indexOf(roomOf(file)))
        .map((room) => `${file} imports ${room}`),
    );
    expect(upward).toEqual([]);
  });

  it('have at most 16 files', () => {
    const files = Map.groupBy(SOURCES, roomOf);
    expect([...files].filter(([, { length }]) => length > 16).map(([room]) => room)).toEqual([]);
  });
});

describe('reading across applications', () => {
  const entries = globSync('packages/*/package.json', { cwd: REPOSITORY }).flatMap((file) => {
    const { exports } = JSON.parse(read(file)) as { exports: Record<string, string> };
    const [main, operator] = [exports['.'], exports['./operator']].map((path) => join(dirname(file), path ?? ''));
    return exports['./operator'] === undefined ? [] : [[operator!, main!]];
  });
  const exportsOf = async (file: string) => Object.keys(await import(join(REPOSITORY, file)));

  it('is for the console and packages/operators only', () => {
    const may = /^(apps\/api\/src\/console|packages\/operators\/src|packages\/\w+\/src\/operator(\.ts$|\/))/;
    const others = SOURCES.filter((file) => {
      const text = read(file);
      return /\bOPERATOR\b|\/operator'/.test(text) && !text.includes('export const OPERATOR') && !may.test(file);
    });
    expect(others).toEqual([]);
  });

  it.each(entries)('%s exports nothing that %s exports', async (operator, main) => {
    const others = await exportsOf(main!);
    expect(await exportsOf(operator!)).not.toEqual([]);
    expect((await exportsOf(operator!)).filter((name) => others.includes(name))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const page = read('docs/architecture.md');
  const walks = page
    .split(/^## Walk: /m)
    .slice(1)
    .map((walk) => [walk.split('\n')[0]!, walk]);
  const stepsOf = (walk: string) => walk.split(/^\d+\. /m).slice(1);
  const filesIn = (text: string) => [...text.matchAll(/`([\w/-]+\/[\w.-]+\.ts)`/g)].map(([, path]) => path!);

  it('has four walks', () => {
    expect(walks.map(([title]) => title)).toEqual([
      'an async order',
      'a sync order',
      'M9, configuring assets',
      'a webhook message',
    ]);
  });

  it.each(walks)('walks %s: each step names files, which exist', (_, walk) => {
    const steps = stepsOf(walk!);
    expect(steps.length).toBeGreaterThanOrEqual(4);
    expect(steps.filter((step) => filesIn(step).length === 0)).toEqual([]);
    expect(filesIn(walk!).filter((file) => !existsSync(join(REPOSITORY, file)))).toEqual([]);
  });

  it('names rooms of rooms.ts', () => {
    const named = [...page.matchAll(/`(\w+\/src\/[\w/-]+)`/g)].map(([, room]) => room!);
    expect(named).not.toEqual([]);
    expect(named.filter((room) => !ROOMS.includes(room))).toEqual([]);
  });
});

describe('source files', () => {
  it.each(['CONTRIBUTING.md', 'docs/security.md', ...DECISIONS])('that %s names exist', (page) => {
    const named = [...read(page).matchAll(/`([\w/.*-]+\.ts)`/g)].map(([, path]) => path!);
    expect(named.filter((path) => !FILES.some((file) => matchesGlob(file, `**/${path}`)))).toEqual([]);
  });

  it('have no comment that is wider than a line may be', () => {
    const { formatter } = JSON.parse(read('biome.json')) as { formatter: { lineWidth: number } };
    const isTooWide = (line: string) => line.length > formatter.lineWidth && /^\s*(\/\/|\/?\*)/.test(line);
    expect(FILES.filter((file) => read(file).split('\n').some(isTooWide))).toEqual([]);
  });
});

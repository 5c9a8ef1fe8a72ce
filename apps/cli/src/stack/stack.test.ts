import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@lockstep/config';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { readDemo } from './demo-file.ts';
import { findDatabaseUrl, prepareDataDir } from './stack.ts';

const directory = mkdtempSync(join(tmpdir(), 'stack-'));
const file = join(directory, 'file');
writeFileSync(file, '');
afterAll(() => rmSync(directory, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const prepare = (DATA_DIR: string) => prepareDataDir(readConfig({ DATA_DIR }));

it('creates DATA_DIR and its parents, or accepts an existing one, and leaves it empty', async () => {
  const dataDir = join(directory, 'new', 'data');
  await prepare(dataDir);
  await prepare(dataDir);
  expect(readdirSync(dataDir)).toEqual([]);
});

it.each([file, join(file, 'data')])('refuses %s, a file or a path below one', async (dataDir) => {
  await expect(prepare(dataDir)).rejects.toThrow(/^DATA_DIR .*$/);
});

// No directory can be created in /proc, although its mode lets root write.
it.runIf(process.platform === 'linux').each(['/proc', '/proc/data', '/proc/new/data'])(
  'refuses %s at once, where no directory can be created',
  async (dataDir) => {
    await expect(prepare(dataDir)).rejects.toThrow(/^DATA_DIR .*$/);
  },
);

/** Makes a path another user's. Only root can give it away; otherwise this process becomes another user to itself. */
function giveAway(path: string): void {
  if (process.geteuid?.() === 0) lchownSync(path, 1, 1);
  else vi.spyOn(process, 'geteuid').mockReturnValue(1);
}

/** Makes a path a link to what it was. */
function turnIntoLink(path: string): void {
  renameSync(path, `${path}-moved`);
  symlinkSync(`${path}-moved`, path);
}

describe('what another user may have prepared is neither used nor read:', () => {
  const WAYS: [what: string, prepareAs: (path: string) => void][] = [
    ['another user owns', giveAway],
    ['others can write to', (path) => chmodSync(path, 0o722)],
    [
      'is a link of another user, for',
      (path) => {
        turnIntoLink(path);
        giveAway(path);
      },
    ],
    [
      'is a link to what another user owns, for',
      (path) => {
        turnIntoLink(path);
        giveAway(`${path}-moved`);
      },
    ],
  ];

  it.each(
    WAYS.flatMap(([what, prepareAs]) =>
      ['', 'stack.json', 'demo.json'].map((name) => [what, name, prepareAs] as const),
    ),
  )('%s DATA_DIR/%s', async (_, name, prepareAs) => {
    const dataDir = join(mkdtempSync(join(directory, 'prepared-')), 'data');
    mkdirSync(dataDir, { mode: 0o711 });
    const demoFile = join(dataDir, 'demo.json');
    writeFileSync(join(dataDir, 'stack.json'), '{"databaseUrl": "postgres://elsewhere"}', { mode: 0o600 });
    writeFileSync(demoFile, '{}', { mode: 0o600 });
    const find = () => findDatabaseUrl(readConfig({ DATA_DIR: dataDir }));
    expect(await find()).toBe('postgres://elsewhere');
    prepareAs(join(dataDir, name));
    if (name === '') await expect(prepare(dataDir)).rejects.toThrow(/^DATA_DIR .*$/);
    if (name !== 'demo.json') await expect(find()).rejects.toThrow(/chown|chmod/);
    if (name !== 'stack.json') await expect(readDemo(demoFile)).rejects.toThrow(/chown|chmod/);
  });
});

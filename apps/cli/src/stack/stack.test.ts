import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@lockstep/config';
import { afterAll, expect, it } from 'vitest';
import { prepareDataDir } from './stack.ts';

const directory = mkdtempSync(join(tmpdir(), 'stack-'));
const file = join(directory, 'file');
writeFileSync(file, '');
afterAll(() => rmSync(directory, { recursive: true }));

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

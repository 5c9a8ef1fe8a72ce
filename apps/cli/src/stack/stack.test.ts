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

it('creates DATA_DIR with the directories above it, and leaves nothing in it, also when it is there', async () => {
  const dataDir = join(directory, 'new', 'data');
  await prepare(dataDir);
  await prepare(dataDir);
  expect(readdirSync(dataDir)).toEqual([]);
});

it.each([file, join(file, 'data')])('refuses %s, which is a file or below one', async (dataDir) => {
  await expect(prepare(dataDir)).rejects.toThrow(/^DATA_DIR must be a directory that this process can write: .*$/);
});

// Nothing can be created in /proc, and root may write it by its mode.
it.runIf(process.platform === 'linux').each(['/proc', '/proc/data', '/proc/new/data'])(
  'refuses %s at once, in which nothing can be created',
  async (dataDir) => {
    await expect(prepare(dataDir)).rejects.toThrow(/^DATA_DIR must be a directory that this process can write: .*$/);
  },
);

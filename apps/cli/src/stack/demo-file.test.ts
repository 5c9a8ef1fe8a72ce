import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readDemo } from './demo-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'demo-'));
const file = join(directory, 'demo.json');
afterAll(() => rmSync(directory, { recursive: true }));

it('advises deleting demo.json only if its content is wrong, not if it cannot be read', async () => {
  expect(await readDemo(file)).toBeUndefined();
  mkdirSync(file, { mode: 0o700 });
  await expect(readDemo(file)).rejects.toMatchObject({ code: 'EISDIR' });
  rmSync(file, { recursive: true });
  for (const content of ['{', '{}']) {
    writeFileSync(file, content, { mode: 0o600 });
    await expect(readDemo(file)).rejects.toThrow(file);
  }
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readDemo } from './demo-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'demo-'));
const file = join(directory, 'demo.json');
afterAll(() => rmSync(directory, { recursive: true }));

it('advises deleting demo.json only if its content is wrong, not if it cannot be read', async () => {
  expect(await readDemo(file)).toBeUndefined();
  await expect(readDemo(directory)).rejects.toMatchObject({ code: 'EISDIR' });
  for (const content of ['{', '{}']) {
    writeFileSync(file, content);
    await expect(readDemo(file)).rejects.toThrow(file);
  }
});

import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RELEASE } from '@lockstep/config';
import { inject } from 'vitest';

/** Returns a later release: a directory of the migrations of this one, and these files. The test run removes it. */
export function laterRelease(files: Record<string, string>): URL {
  const directory = mkdtempSync(join(inject('directory'), 'migrations-'));
  cpSync(RELEASE, directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return pathToFileURL(join(directory, '/'));
}

import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RELEASE } from '@lockstep/config';
import type { Release } from '@lockstep/platform';
import { inject } from 'vitest';

/** Returns a later release: the migrations of this one, and these files. The test run removes its directory. */
export function laterRelease(files: Record<string, string>): Release {
  const directory = mkdtempSync(join(inject('directory'), 'migrations-'));
  cpSync(RELEASE.migrations, directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return { ...RELEASE, migrations: pathToFileURL(join(directory, '/')) };
}

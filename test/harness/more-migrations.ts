import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inject } from 'vitest';

const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** Makes a directory with the migrations of this release and these files behind them; the run removes it. */
export function withMigrations(files: Record<string, string>): URL {
  const directory = mkdtempSync(join(inject('directory'), 'migrations-'));
  cpSync(MIGRATIONS, directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return pathToFileURL(join(directory, '/'));
}

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { REPOSITORY } from '../harness/processes/processes.ts';

const COPIED = ['apps', 'packages', 'migrations', 'package.json', 'llms.txt'];

/**
 * Copies this release into the run's directory and adds migrations, to simulate the next release. @returns its
 * directory, which the run removes
 */
export function makeNextRelease(migrations: Record<string, string>): string {
  const directory = mkdtempSync(join(inject('directory'), 'next-release-'));
  for (const name of COPIED) cpSync(join(REPOSITORY, name), join(directory, name), { recursive: true });
  for (const [name, text] of Object.entries(migrations)) writeFileSync(join(directory, 'migrations', name), text);
  linkPackages(directory);
  return directory;
}

/** Links all packages except the repository's own, which would lead to this release's code. */
function linkPackages(directory: string): void {
  const ours = join(REPOSITORY, 'node_modules');
  const own = join(directory, 'node_modules');
  mkdirSync(join(own, '@lockstep'), { recursive: true });
  for (const name of readdirSync(ours)) {
    if (name !== '@lockstep' && name !== '.cache') symlinkSync(join(ours, name), join(own, name));
  }
  for (const room of ['packages', 'apps']) {
    for (const folder of readdirSync(join(directory, room))) {
      const { name } = JSON.parse(readFileSync(join(directory, room, folder, 'package.json'), 'utf8')) as {
        name: string;
      };
      symlinkSync(join(directory, room, folder), join(own, name));
    }
  }
}

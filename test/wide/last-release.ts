import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { REPOSITORY } from '../harness/processes.ts';

/** The last commit of the release before this one. */
const LAST_RELEASE = 'c7abc65';

/**
 * Makes a checkout of the last release in the run's directory, with the packages of this one, but with its own code.
 * @returns its directory, which the run removes
 */
export function checkOutLastRelease(): string {
  const directory = mkdtempSync(join(inject('directory'), 'last-release-'));
  const git = (...words: string[]) => spawnSync('git', words, { cwd: REPOSITORY, maxBuffer: 1 << 30 });
  const archive = git('archive', '--format=tar', LAST_RELEASE);
  if (archive.status !== 0) {
    const why = archive.error?.message ?? archive.stderr.toString().trim();
    throw new Error(`No commit ${LAST_RELEASE} of the last release (${why}): run git fetch --unshallow, and try again`);
  }
  execFileSync('tar', ['-x', '-C', directory], { input: archive.stdout });
  linkPackages(directory);
  return directory;
}

/** Links every package but those of the repository itself, which would lead to the code of this release. */
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

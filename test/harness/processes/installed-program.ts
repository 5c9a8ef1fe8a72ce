import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that tests need, by the name of its command and of its package. */
interface WantedProgram {
  command: string;
  /** The package of Debian that has it. */
  debianPackage: string;
  /** What to do if it is missing and cannot be installed. */
  otherwise: string;
}

/**
 * Returns the path of a program; on Debian as root, installs it first. Throws an Error that says what to do if it is
 * missing.
 */
export function provideProgram({ command, debianPackage, otherwise }: WantedProgram): string {
  const found = findOnPath(command);
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    process.stdout.write(`Installing ${debianPackage} for the tests (apt-get install ${debianPackage})\n`);
    install(debianPackage);
    const installed = findOnPath(command);
    if (installed !== undefined) return installed;
  }
  throw new Error(otherwise);
}

/** A user's PATH may lack the directory for servers. */
function findOnPath(command: string): string | undefined {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((directory) => join(directory, command))
    .find((file) => existsSync(file));
}

function install(debianPackage: string): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', debianPackage], { env, stdio: 'ignore' });
}

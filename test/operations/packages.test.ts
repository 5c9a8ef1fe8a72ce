import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../harness/processes/processes.ts';

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const manifests = globSync('{.,packages/*,apps/*,test}/package.json', { cwd: REPOSITORY }).map(
  (file) => JSON.parse(readFileSync(join(REPOSITORY, file), 'utf8')) as Manifest,
);
const isOurs = (name: string) => name.startsWith('@lockstep/');

/** The packages of ours that run with each, itself left out. */
const needed = new Map(
  manifests.map(({ name, dependencies = {} }) => [name, Object.keys(dependencies).filter(isOurs)] as const),
);

it.each([...needed.keys()])('%s does not run with itself by way of others, nor with the tests', (name) => {
  const reached = new Set(needed.get(name));
  for (const each of reached) for (const next of needed.get(each) ?? []) reached.add(next);
  expect(reached).not.toContain(name);
  expect(reached).not.toContain('@lockstep/test');
});

it.each(['contract', 'platform', 'embedded-postgres'])('@lockstep/%s runs without any other package', (name) => {
  expect(needed.get(`@lockstep/${name}`)).toEqual([]);
});

it('every library is pinned, to one version wherever it is declared', () => {
  const versions = new Map<string, Set<string>>();
  for (const { dependencies, devDependencies } of manifests) {
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      versions.set(name, (versions.get(name) ?? new Set()).add(version));
    }
  }
  for (const [name, [version, ...others]] of versions) {
    expect({ name, others }).toEqual({ name, others: [] });
    expect(version).toMatch(isOurs(name) ? /^\*$/ : /^\d+\.\d+\.\d+(-[\w.]+)?$/);
  }
});

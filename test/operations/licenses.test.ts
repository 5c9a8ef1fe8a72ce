import { join } from 'node:path';
import { expect, it } from 'vitest';
import { read } from '../harness/browser/pages.ts';

interface Locked {
  license?: string;
  dev?: true;
  link?: true;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };

/** They ask for no more than their text beside copies. OFL-1.1: the console's font. */
const ALLOWED = '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause ISC MIT OFL-1.1 Unlicense'.split(' ');
const isAllowed = (license = '') =>
  !license.includes(' AND ') && license.split(/[()]| OR /).some((choice) => ALLOWED.includes(choice));
/** Console libraries that only build and check it. All others are in what browsers load. */
const TOOLS = /^(@types\/|@vitejs\/|vite$|vitest$)/;

/** The libraries that a package loads, with what those load. */
function reach(from: string, names: string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    let folder = from;
    while (packages[join(folder, 'node_modules', name)] === undefined && folder !== '') {
      folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
    }
    const path = join(folder, 'node_modules', name);
    if (found.has(path) || packages[path] === undefined) continue;
    const { dependencies = {} } = packages[path];
    reach(path, Object.keys(dependencies), found.add(path));
  }
  return found;
}
const inProcesses = Object.keys(packages).filter(
  (path) => path.includes('node_modules/') && !packages[path]!.dev && !packages[path]!.link,
);
const ofConsole = Object.keys(packages['apps/console']!.devDependencies!).filter((name) => !TOOLS.test(name));
const inBrowsers = [...reach('apps/console', ofConsole)].filter((path) => !packages[path]!.link);

it.each([
  ['processes', inProcesses, 'node_modules/fastify'],
  ['browsers', inBrowsers, 'node_modules/react'],
])('the licenses of all libraries in %s are allowed', (_, paths, known) => {
  expect(paths).toContain(known);
  expect(['', 'GPL-3.0', '(GPL-2.0 OR AGPL-3.0)', '(MIT OR ISC) AND GPL-3.0'].filter(isAllowed)).toEqual([]);
  const others = paths.filter((path) => !isAllowed(packages[path]!.license));
  expect(others.map((path) => `${path}: ${packages[path]!.license}`)).toEqual([]);
});

import { existsSync, globSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { read } from '../harness/browser/pages.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';

/** Every page of the repository: README.md, docs/, those beside the benchmarks. */
const PAGES = globSync('**/*.md', { cwd: REPOSITORY, exclude: (path) => /(^|\/)(node_modules|dist|\..*)$/.test(path) });

/** A page without its fenced blocks. */
const proseOf = (page: string) => read(page).replace(/^```.*?^```$/gms, '');

/** The anchors of a page's headings, as GitHub names them. */
function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title]) => {
    const anchor = title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
}

/** The files and anchors of this repository to which a page links. */
const linksOf = (page: string) =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^https?:\/\//.test(link))
    .map((link) => {
      const [path = '', anchor] = link.split('#');
      return { link, target: path === '' ? page : normalize(join(dirname(page), path)), anchor };
    });

describe('links', () => {
  it.each(PAGES)('of %s lead to something', (page) => {
    const broken = linksOf(page).filter(
      ({ target, anchor }) =>
        !existsSync(join(REPOSITORY, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor)),
    );
    expect(broken.map(({ link }) => link)).toEqual([]);
  });

  it('lead from README.md to every page', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const { target } of linksOf(page)) if (PAGES.includes(target)) reached.add(target);
    }
    expect(PAGES.filter((page) => !reached.has(page))).toEqual([]);
  });
});

describe('paths', () => {
  it.each(PAGES)('in %s exist', (page) => {
    const paths = [
      ...read(page).matchAll(/(?<![\w./-])(?:apps|docs|examples|migrations|packages|test)\/[\w./-]*[\w/]/g),
    ];
    expect(paths.map(([path]) => path).filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
  });
});

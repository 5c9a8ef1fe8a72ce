import { posix } from 'node:path';

/** A page of the documentation, as a person reads it at /guides. */
export interface Guide {
  /** Its name in the address: /guides/api. */
  slug: string;
  /** Where it is in the repository. */
  file: string;
}

/** The pages of the documentation, in the order in which they are listed; words.ts says for whom each is. */
export const GUIDES = [
  { slug: 'readme', file: 'README.md' },
  { slug: 'tutorial', file: 'docs/tutorial.md' },
  { slug: 'console', file: 'docs/console.md' },
  { slug: 'api', file: 'docs/api.md' },
  { slug: 'outcomes', file: 'docs/outcomes.md' },
  { slug: 'operations', file: 'docs/operations.md' },
  { slug: 'security', file: 'docs/security.md' },
  { slug: 'interface', file: 'docs/interface.md' },
  { slug: 'rules', file: 'docs/rules.md' },
  { slug: 'architecture', file: 'docs/architecture.md' },
  { slug: 'scaling', file: 'docs/scaling.md' },
  { slug: 'performance', file: 'docs/performance.md' },
  { slug: 'testing', file: 'docs/testing.md' },
  { slug: 'changelog', file: 'CHANGELOG.md' },
] as const satisfies readonly Guide[];

export type GuideSlug = (typeof GUIDES)[number]['slug'];

/** The folders of the repository of which /guides shows files, besides the guides themselves. */
export const SHOWN_FOLDERS = { 'docs/images': 'images', examples: 'examples' } as const;

/**
 * Where a link of a guide leads on /guides, from /guides/{slug}: to another guide, to a file that is shown, to an
 * anchor or to another site. Null where it leads to what is not shown; it is only text then.
 */
export function resolveLink(href: string, fromFile: string): string | null {
  if (/^https:\/\//.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(fromFile), path));
  const guide = GUIDES.find(({ file }) => file === target);
  if (guide !== undefined) return anchor === undefined ? guide.slug : `${guide.slug}#${anchor}`;
  const folder = posix.dirname(target);
  const shown = Object.entries(SHOWN_FOLDERS).find(([name]) => name === folder);
  return shown === undefined ? null : `${shown[1]}/${encodeURIComponent(posix.basename(target))}`;
}

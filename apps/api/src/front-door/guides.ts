import { posix } from 'node:path';

/** A page of the documentation, as /guides shows it. */
export interface Guide {
  /** The last part of its address: /guides/api. */
  slug: string;
  /** Its path in the repository. */
  file: string;
}

/** The pages that /guides lists, in this order. words.ts has their titles and readers. */
export const GUIDES = [
  { slug: 'readme', file: 'README.md' },
  { slug: 'tutorial', file: 'docs/tutorial.md' },
  { slug: 'console', file: 'docs/console.md' },
  { slug: 'integrating', file: 'docs/integrating.md' },
  { slug: 'api', file: 'docs/api.md' },
  { slug: 'outcomes', file: 'docs/outcomes.md' },
  { slug: 'deployment', file: 'docs/deployment.md' },
  { slug: 'runbooks', file: 'docs/runbooks/README.md' },
  { slug: 'security', file: 'docs/security.md' },
  { slug: 'interface', file: 'docs/interface.md' },
  { slug: 'rules', file: 'docs/rules.md' },
  { slug: 'architecture', file: 'docs/architecture.md' },
  { slug: 'glossary', file: 'docs/glossary.md' },
  { slug: 'changelog', file: 'CHANGELOG.md' },
] as const satisfies readonly Guide[];

export type GuideSlug = (typeof GUIDES)[number]['slug'];

/** Folders whose pages /guides shows but does not list, because other pages link to them. The value begins the slug. */
export const GUIDE_FOLDERS = { 'docs/runbooks': 'runbooks', 'docs/decisions': 'decisions' } as const;

/** Folders whose pictures and examples /guides shows. The value is the folder's name in the address. */
export const SHOWN_FOLDERS = { 'docs/images': 'images', examples: 'examples' } as const;

/** Returns the page at a path of the repository; undefined if /guides does not show that path. */
export function guideOf(file: string): Guide | undefined {
  const listed = GUIDES.find((each) => each.file === file);
  if (listed !== undefined) return listed;
  const prefix = nameOf(GUIDE_FOLDERS, posix.dirname(file));
  if (prefix === undefined || posix.extname(file) !== '.md') return undefined;
  const name = posix.basename(file, '.md');
  return { slug: name === 'README' ? prefix : `${prefix}-${name}`, file };
}

/**
 * Resolves a link in a page, relative to /guides/{slug}. Returns null if it leads to something that /guides does not
 * show, such as source code; the page then shows the link's text alone.
 */
export function resolveLink(href: string, fromFile: string): string | null {
  if (/^https:\/\//.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(fromFile), path));
  const guide = guideOf(target);
  if (guide !== undefined) return anchor === undefined ? guide.slug : `${guide.slug}#${anchor}`;
  const shown = nameOf(SHOWN_FOLDERS, posix.dirname(target));
  return shown === undefined ? null : `${shown}/${encodeURIComponent(posix.basename(target))}`;
}

function nameOf(folders: Record<string, string>, folder: string): string | undefined {
  return Object.hasOwn(folders, folder) ? folders[folder] : undefined;
}

import { posix } from 'node:path';
import { GUIDES } from './guides.ts';

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

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Sendable } from './files.ts';
import { type RenderedGuide, renderGuide } from './guide-html.ts';
import { GUIDE_FOLDERS, GUIDES, type Guide, type GuideSlug, guideOf, SHOWN_FOLDERS } from './guides.ts';
import type { Language } from './language.ts';
import { WORDS } from './words.ts';

/** The root of the repository, or of the image: both contain the documentation. */
const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const TYPES: Record<string, string> = {
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/plain; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
};

/** The documentation on disk. Reads and renders each page when it is first requested. */
export class GuideShelf {
  /** The listed pages that exist. A deployment can come without the documentation. */
  readonly guides: readonly (Guide & { slug: GuideSlug })[] = GUIDES.filter(({ file }) => existsSync(join(ROOT, file)));
  /** The path in the repository of every page that exists, by slug. */
  readonly #pages = new Map<string, string>();
  readonly #rendered = new Map<string, RenderedGuide>();
  /** Pictures and examples by their path below /guides; as a path on disk until first requested. */
  readonly #files = new Map<string, Sendable | string>();

  constructor() {
    for (const folder of Object.keys(GUIDE_FOLDERS)) {
      for (const name of listFolder(folder)) {
        const guide = guideOf(`${folder}/${name}`);
        if (guide !== undefined) this.#pages.set(guide.slug, guide.file);
      }
    }
    for (const { slug, file } of this.guides) this.#pages.set(slug, file);
    for (const [folder, shown] of Object.entries(SHOWN_FOLDERS)) {
      for (const name of listFolder(folder)) {
        if (extname(name) in TYPES) this.#files.set(`${shown}/${name}`, join(ROOT, folder, name));
      }
    }
  }

  /** Returns a page as HTML; undefined if there is none with this slug. */
  find(slug: string, language: Language): RenderedGuide | undefined {
    const file = this.#pages.get(slug);
    if (file === undefined) return undefined;
    const key = `${slug} ${language}`;
    const rendered =
      this.#rendered.get(key) ?? renderGuide(readFileSync(join(ROOT, file), 'utf8'), file, WORDS[language].table);
    this.#rendered.set(key, rendered);
    return rendered;
  }

  /** Returns a picture or an example; undefined if there is none at this path. */
  findFile(path: string): Sendable | undefined {
    const known = this.#files.get(path);
    if (typeof known !== 'string') return known;
    const file = new Sendable(TYPES[extname(known)]!, readFileSync(known));
    this.#files.set(path, file);
    return file;
  }
}

function listFolder(folder: string): string[] {
  const directory = join(ROOT, folder);
  return existsSync(directory) ? readdirSync(directory) : [];
}

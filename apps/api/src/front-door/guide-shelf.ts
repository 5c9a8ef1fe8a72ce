import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Sendable } from './files.ts';
import { type RenderedGuide, renderGuide } from './guide-html.ts';
import { GUIDES, type Guide, type GuideSlug, SHOWN_FOLDERS } from './guides.ts';
import type { Language } from './language.ts';
import { WORDS } from './words.ts';

/** The root of the repository, or of the image: both hold the documentation. */
const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const TYPES: Record<string, string> = {
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/plain; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
};

/** The documentation: the guides that are here, each read and rendered when it is first asked for. */
export class GuideShelf {
  /** The guides that are here. A deployment may come without the documentation. */
  readonly guides: readonly (Guide & { slug: GuideSlug })[] = GUIDES.filter(({ file }) => existsSync(join(ROOT, file)));
  readonly #rendered = new Map<string, RenderedGuide>();
  /** By the path behind /guides: pictures and examples. A path that is not among them leads nowhere. */
  readonly #files = new Map<string, Sendable | string>();

  constructor() {
    for (const [folder, name] of Object.entries(SHOWN_FOLDERS)) {
      const directory = join(ROOT, folder);
      if (!existsSync(directory)) continue;
      for (const file of readdirSync(directory)) {
        if (extname(file) in TYPES) this.#files.set(`${name}/${file}`, join(directory, file));
      }
    }
  }

  /** A guide as HTML; undefined where there is none of that name. */
  find(slug: string, language: Language): RenderedGuide | undefined {
    const guide = this.guides.find((each) => each.slug === slug);
    if (guide === undefined) return undefined;
    const key = `${slug} ${language}`;
    const rendered =
      this.#rendered.get(key) ??
      renderGuide(readFileSync(join(ROOT, guide.file), 'utf8'), guide.file, WORDS[language].table);
    this.#rendered.set(key, rendered);
    return rendered;
  }

  /** A picture or an example of a guide; undefined where there is none at that path. */
  findFile(path: string): Sendable | undefined {
    const known = this.#files.get(path);
    if (typeof known !== 'string') return known;
    const file = new Sendable(TYPES[extname(known)]!, readFileSync(known));
    this.#files.set(path, file);
    return file;
  }
}

import { Marked, type RendererObject } from 'marked';
import { resolveLink } from './guides.ts';
import { escapeHtml, Html } from './html.ts';

/** A guide rendered as HTML. */
export interface RenderedGuide {
  title: string;
  body: Html;
  /** The second-level headings, for the table of contents. */
  contents: { id: string; text: string }[];
}

/** Creates the ids of headings like GitHub, so that links in the pages work here too. */
class Anchors {
  readonly #taken = new Map<string, number>();

  next(heading: string): string {
    const id = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = this.#taken.get(id) ?? 0;
    this.#taken.set(id, times + 1);
    return times === 0 ? id : `${id}-${times}`;
  }
}

const TAG = /<[^>]*>/g;
const ENTITY: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const textOf = (inline: string) =>
  inline.replace(TAG, '').replace(/&(?:amp|lt|gt|quot|#39);/g, (each) => ENTITY[each]!);

/**
 * Renders a Markdown page of the repository. Omits HTML comments and shows other HTML as text. `tableLabel` is the
 * accessible name of tables, which can be scrolled.
 */
export function renderGuide(markdown: string, file: string, tableLabel: string): RenderedGuide {
  const anchors = new Anchors();
  const contents: RenderedGuide['contents'] = [];
  let title = file;
  const renderer: RendererObject = {
    html({ text }) {
      const shown = text.replace(/<!--[\s\S]*?-->/g, '');
      return shown.trim() === '' ? '' : escapeHtml(shown);
    },
    heading({ tokens, depth }) {
      const inline = this.parser.parseInline(tokens);
      const text = textOf(inline);
      const id = anchors.next(text);
      if (depth === 1) title = text;
      if (depth === 2) contents.push({ id, text });
      return `<h${depth} id="${escapeHtml(id)}">${inline}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const address = resolveLink(href, file);
      return address === null ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
    },
    image({ href, text }) {
      const address = resolveLink(href, file);
      const isShown = address?.startsWith('images/');
      return isShown ? `<img src="${escapeHtml(address!)}" alt="${escapeHtml(text)}">` : escapeHtml(text);
    },
    // Wide content scrolls, by keyboard too.
    code({ text }) {
      return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
    },
    table(token) {
      const cells = (row: typeof token.header, tag: string) =>
        row
          .map(({ text, tokens }) => {
            // An empty header cell would have no accessible name.
            const name = text === '' ? 'td' : tag;
            return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
          })
          .join('');
      const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
      const head = `<thead><tr>${cells(token.header, 'th')}</tr></thead>`;
      const label = escapeHtml(tableLabel);
      return `<div class="table" role="group" aria-label="${label}" tabindex="0"><table>${head}<tbody>${rows}</tbody></table></div>\n`;
    },
  };
  const body = new Marked({ renderer, gfm: true }).parse(markdown, { async: false });
  return { title, body: new Html(body), contents };
}

import type { RenderedGuide } from './guide-html.ts';
import type { Guide, GuideSlug } from './guides.ts';
import { html } from './html.ts';
import type { Language } from './language.ts';
import { keepLanguage, layOut } from './layout.ts';
import { WORDS } from './words.ts';

interface Reader {
  language: Language;
  switched: Language | null;
}

/** Renders /guides: every guide and its readers. */
export function guideList(guides: readonly (Guide & { slug: GuideSlug })[], { language, switched }: Reader): string {
  const words = WORDS[language];
  const entry = ({ slug }: { slug: GuideSlug }) => {
    const [name, forWhom] = words.guideNames[slug];
    return html`<li><a href="${keepLanguage(`./guides/${slug}`, switched)}">${name}</a><p>${forWhom}</p></li>\n`;
  };
  const main = html`<h1>${words.guides}</h1>
<p class="lead">${words.guidesLead}</p>
<ul class="places">
${guides.map(entry)}</ul>`;
  return layOut({ title: `${words.guides} · Lockstep`, language, switched, root: './', main });
}

/** Renders a guide with its table of contents. */
export function guidePage({ title, body, contents }: RenderedGuide, { language, switched }: Reader): string {
  const words = WORDS[language];
  const main = html`<div class="guide">
<nav class="contents" aria-label="${words.onThisPage}">
<p><a href="${keepLanguage('../guides', switched)}">${words.allGuides}</a></p>
<ul>
${contents.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>\n`)}</ul>
</nav>
<article lang="en">
${body}
</article>
</div>`;
  return layOut({ title: `${title} · Lockstep`, language, switched, root: '../', main });
}

/** Renders the 404 page of /guides. */
export function noGuidePage({ language, switched }: Reader): string {
  const words = WORDS[language];
  const main = html`<h1>404</h1>
<p class="lead">${words.noGuide} <a href="${keepLanguage('../guides', switched)}">${words.allGuides}</a></p>`;
  return layOut({ title: '404 · Lockstep', language, switched, root: '../', main });
}

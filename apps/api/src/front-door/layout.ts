import { type Html, html } from './html.ts';
import { LANGUAGES, type Language } from './language.ts';
import { WORDS } from './words.ts';

/** The content security policy of the front door: styles and pictures of this service, no scripts. */
export const FRONT_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface Page {
  title: string;
  language: Language;
  /** The language that the reader has chosen; links keep it. */
  switched: Language | null;
  /** The relative path to the root of the service, so that links work behind a proxy with a path. */
  root: './' | '../';
  main: Html;
}

/** Adds the chosen language to the address of a link. */
export function keepLanguage(address: string, switched: Language | null): string {
  if (switched === null) return address;
  const [path, anchor] = address.split('#');
  return `${path}?lang=${switched}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Renders a page of the front door as HTML. */
export function layOut({ title, language, switched, root, main }: Page): string {
  const words = WORDS[language];
  const others = LANGUAGES.filter((each) => each !== language);
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${root}front-door/icon.svg">
<link rel="stylesheet" href="${root}front-door/style.css">
</head>
<body>
<a class="skip" href="#main">${words.skip}</a>
<header>
<nav aria-label="${words.sections}">
<a class="brand" href="${keepLanguage(root, switched)}"><img src="${root}front-door/icon.svg" alt="" width="28" height="28">Lockstep</a>
<a href="${root}console">${words.console}</a>
<a href="${root}docs">${words.docs}</a>
<a href="${keepLanguage(`${root}guides`, switched)}">${words.guides}</a>
${others.map((each) => html`<a class="language" href="?lang=${each}" lang="${each}" hreflang="${each}">${WORDS[each].language}</a>`)}
</nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
</body>
</html>
`;
  return page.text;
}

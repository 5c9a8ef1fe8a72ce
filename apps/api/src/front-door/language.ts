import type { FastifyRequest } from 'fastify';

export const LANGUAGES = ['en', 'zh'] as const;
/** The languages of the front door. words.ts has the texts. */
export type Language = (typeof LANGUAGES)[number];

const isLanguage = (text: unknown): text is Language => LANGUAGES.some((language) => language === text);

/** Returns the language chosen with `?lang=`; null if none is, so that the language of the browser applies. */
export function switchedLanguage(request: FastifyRequest): Language | null {
  const { lang } = request.query as { lang?: unknown };
  return isLanguage(lang) ? lang : null;
}

/** Returns the preferred supported language of an Accept-Language header; English if it names none. */
export function preferredLanguage(header = ''): Language {
  const wishes = header.split(',').map((wish) => {
    const [tag = '', ...parameters] = wish.trim().toLowerCase().split(';');
    const weight = parameters.map((each) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(each)?.[1]).find((q) => q !== undefined);
    return { language: tag.split('-', 1)[0], weight: weight === undefined ? 1 : Number(weight) };
  });
  const known = wishes.filter(({ language, weight }) => isLanguage(language) && weight > 0);
  const [best] = known.toSorted((one, other) => other.weight - one.weight);
  return (best?.language as Language | undefined) ?? 'en';
}

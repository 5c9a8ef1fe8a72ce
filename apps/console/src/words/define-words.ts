import { commonWords } from './common.ts';

/** A word or sentence, or a function that inserts values into one. */
// biome-ignore lint/suspicious/noExplicitAny: each sentence declares its own parameters.
type Phrase = string | ((...values: any[]) => string);
type Same<Words> = { [Key in keyof Words]: Words[Key] extends string ? string : Words[Key] };

/** Words in each language. Chinese has exactly the keys of English. */
export interface AreaWords<Words> {
  en: Words;
  zh: Same<Words>;
}

/** Declares words. */
export function defineWords<const Words extends Record<string, Phrase>>(words: AreaWords<Words>): AreaWords<Words> {
  return words;
}

type Common = typeof commonWords.en;

/** Declares the words of an area and adds the common ones, which the area may override. */
export function defineAreaWords<const Words extends Record<string, Phrase>>(
  words: AreaWords<Words>,
): AreaWords<Words & Omit<Common, keyof Words>> {
  const merged = { en: { ...commonWords.en, ...words.en }, zh: { ...commonWords.zh, ...words.zh } };
  return merged as unknown as AreaWords<Words & Omit<Common, keyof Words>>;
}

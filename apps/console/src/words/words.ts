import { commonWords } from './common.ts';
import { useLanguage } from './languages.ts';

/** A word or a sentence, or a function that fills in what it is about. */
// biome-ignore lint/suspicious/noExplicitAny: a sentence takes what it says that it takes.
type Phrase = string | ((...values: any[]) => string);
type Same<Words> = { [Key in keyof Words]: Words[Key] extends string ? string : Words[Key] };

/** Words in every language: Chinese has exactly those that English has. */
export interface AreaWords<Words> {
  en: Words;
  zh: Same<Words>;
}

/** Declares words. */
export function defineWords<const Words extends Record<string, Phrase>>(words: AreaWords<Words>): AreaWords<Words> {
  return words;
}

type Common = typeof commonWords.en;

/** Declares the words of an area, beside those that all areas show; an area may have another word for the same. */
export function defineAreaWords<const Words extends Record<string, Phrase>>(
  words: AreaWords<Words>,
): AreaWords<Words & Omit<Common, keyof Words>> {
  const merged = { en: { ...commonWords.en, ...words.en }, zh: { ...commonWords.zh, ...words.zh } };
  return merged as unknown as AreaWords<Words & Omit<Common, keyof Words>>;
}

/** The words of an area in the language that the console is shown in. */
export function useWords<Words>(words: AreaWords<Words>): Same<Words> {
  return words[useLanguage()] as Same<Words>;
}

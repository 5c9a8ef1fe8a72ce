import { type Language, useLanguage } from './languages.ts';

/** A word or a sentence, or a function that fills in what it is about. */
// biome-ignore lint/suspicious/noExplicitAny: a sentence takes what it says that it takes.
type Phrase = string | ((...values: any[]) => string);
type Same<Words> = { [Key in keyof Words]: Words[Key] extends string ? string : Words[Key] };

/** The words of an area in every language: Chinese has exactly those that English has. */
export interface AreaWords<Words> {
  en: Words;
  zh: Same<Words>;
}

/** Declares the words of an area. */
export function defineWords<const Words extends Record<string, Phrase>>(words: AreaWords<Words>): AreaWords<Words> {
  return words;
}

/** The words of an area in the language that the console is shown in. */
export function useWords<Words>(words: AreaWords<Words>): Same<Words> {
  return wordsIn(useLanguage(), words);
}

function wordsIn<Words>(language: Language, words: AreaWords<Words>): Same<Words> {
  return words[language] as Same<Words>;
}

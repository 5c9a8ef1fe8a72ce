import { useSyncExternalStore } from 'react';

/** The languages of the console, by their own names. */
export const languages = { en: 'English', zh: '中文' } as const;
export type Language = keyof typeof languages;

/** Tags for Intl and the `lang` attribute. */
const TAGS: Record<Language, string> = { en: 'en-GB', zh: 'zh-CN' };
const REMEMBERED = 'lockstep-language';

const listeners = new Set<() => void>();
let current: Language = chooseFirst();
document.documentElement.lang = TAGS[current];

function chooseFirst(): Language {
  const remembered = localStorage.getItem(REMEMBERED);
  if (remembered !== null && remembered in languages) return remembered as Language;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** Switches the language, and remembers it in the browser. */
export function chooseLanguage(language: Language): void {
  current = language;
  localStorage.setItem(REMEMBERED, language);
  document.documentElement.lang = TAGS[language];
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the current language. */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, () => current);
}

/** Returns the current language's tag for Intl. */
export function useLanguageTag(): string {
  return TAGS[useLanguage()];
}

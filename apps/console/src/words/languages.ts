import { useSyncExternalStore } from 'react';

/** The languages of the console, as they call themselves. */
export const languages = { en: 'English', zh: '中文' } as const;
export type Language = keyof typeof languages;

/** What Intl and `lang` call them. */
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

/** Shows the console in a language from now on, after a reload too. */
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

/** The language that the console is shown in. */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, () => current);
}

/** The language's tag for Intl. */
export function useLanguageTag(): string {
  return TAGS[useLanguage()];
}

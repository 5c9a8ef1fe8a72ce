/** The languages of the console, by their own names. */
export const languages = { en: 'English', zh: '中文' } as const;
export type Language = keyof typeof languages;

/** Tags for Intl and the `lang` attribute. */
export const TAGS = { en: 'en-GB', zh: 'zh-CN' } as const;

/** The key under which the browser stores the reader's choice. */
export const LANGUAGE_KEY = 'lockstep-language';

/** The language of the page, as long as it is open. Tests read the words without a page. */
export const language: Language = 'document' in globalThis ? chooseFirst() : 'en';
export const TAG = TAGS[language];

function chooseFirst(): Language {
  const remembered = localStorage.getItem(LANGUAGE_KEY);
  if (remembered !== null && remembered in languages) return remembered as Language;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

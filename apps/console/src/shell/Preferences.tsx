import { useMantineColorScheme } from '@mantine/core';
import { Choice } from '../kit/inputs.tsx';
import { LANGUAGE_KEY, type Language, language, languages } from '../words/language.ts';
import { shellWords as words } from './words.ts';

/** Remembers a language in the browser, and loads the page anew in it. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(LANGUAGE_KEY, chosen);
  location.reload();
}

/** Selects language and theme; the browser remembers both. */
export function Preferences() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Choice size="xs" label={words.language} value={language} options={languages} onChange={chooseLanguage} />
      <Choice
        size="xs"
        label={words.colors}
        value={colorScheme}
        options={{ auto: words.auto, light: words.light, dark: words.dark }}
        onChange={setColorScheme}
      />
    </>
  );
}

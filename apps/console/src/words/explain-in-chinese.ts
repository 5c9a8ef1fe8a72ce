import { causes } from '@lockstep/contract/causes';
import { consoleCauses } from '@lockstep/contract/console-causes';
import {
  causesInChinese,
  OTHER_FAULTS,
  type Phrases,
  type PhrasesByPlaceholder,
  valuesInChinese,
} from './causes-zh.ts';

const english = new Map<string, { message: string }>(Object.entries({ ...causes, ...consoleCauses }));
const chinese = new Map(Object.entries(causesInChinese));

/**
 * Returns the message of a cause in Chinese, with the values of the English one; undefined if there is none. If the
 * English message differs from the contract's, as one of an earlier version may, it follows the Chinese one.
 */
export function explainInChinese(cause: string | null, message: string | null): string | undefined {
  const template = chinese.get(cause ?? '');
  if (cause === null || template === undefined) return undefined;
  if (message === null) return fillIn(template, []);
  const phrases = valuesInChinese[cause] ?? {};
  const values = findValues(english.get(cause)!.message, message, phrases);
  if (values === null) return `${fillIn(template, [])}${message}`;
  return fillIn(
    template,
    values.map((value, position) => translate(value, { ...OTHER_FAULTS, ...phrases[position] })),
  );
}

/**
 * Returns the values that fill in the placeholders of a template to make a text; null if none do. If several do,
 * prefers the known `phrases`, then the shortest values.
 */
function findValues(template: string, text: string, phrases: PhrasesByPlaceholder = {}): string[] | null {
  const pattern = escapeForPattern(template).replace(/\\\{(\d)\\\}/g, (_, position: string) => {
    const known = Object.keys(phrases[Number(position)] ?? {}).map(escapeForPattern);
    return `(?<value${position}>${[...known, '.*?'].join('|')})`;
  });
  const found = new RegExp(`^${pattern}$`, 's').exec(text);
  if (found === null) return null;
  const values = Object.entries(found.groups ?? {}).sort();
  return values.map(([, value]) => value);
}

const escapeForPattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Fills in a template. A placeholder without a value vanishes with its unit and the marks around it. */
function fillIn(template: string, values: readonly string[]): string {
  return template.replace(/[ “（：]?\{(\d)\}(?: (?:个|层|字节))?[ ”）：]?/g, (part, position: string) => {
    const value = values[Number(position)] ?? '';
    return value === '' ? '' : part.replace(/\{\d\}/, () => value);
  });
}

/** Translates a text, and the values in it, with the first phrase that matches. Returns others unchanged. */
export function translate(text: string, phrases: Phrases): string {
  for (const [from, to] of Object.entries(phrases)) {
    const values = findValues(from, text);
    if (values === null) continue;
    return fillIn(
      to,
      values.map((value) => translate(value, phrases)),
    );
  }
  return text;
}

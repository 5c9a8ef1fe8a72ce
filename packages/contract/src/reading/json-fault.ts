import type { english } from '../templates.ts';

const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** What a string contains. Bounded, because a long match would take too much memory. */
const CHARACTERS = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})){1,1000}/y;
const CURLY_QUOTE = /[\u2018-\u201f\u00ab\u00bb\u2032\u2033\uff02\uff07]/;
/** What a fault quotes: the start of a word, or one visible character. */
const QUOTED = /[\p{L}\p{N}_]{1,8}|[\p{L}\p{N}\p{P}\p{S}]/uy;

/** A place where a text breaks the grammar of JSON, and what should be there. */
interface Break {
  at: number;
  /** A word of `token`, or the text itself. */
  expected: string;
}

/** What is wrong with a text that is no JSON, as the values of json_malformed: a word of `json` and its values. */
export type JsonFault = readonly [fault: keyof typeof english.json, ...values: string[]];

/**
 * Returns where a text is not JSON and what was found there, such as an end instead of a value. If it is JSON, but an
 * object repeats a key, returns where. Otherwise returns undefined.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  /** The keys so far of each enclosing object; null for a list. */
  const around: (Set<string> | null)[] = [];
  let repeated: JsonFault | undefined;
  let next: 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' = 'value';
  for (let at = 0; ; ) {
    while (' \t\n\r'.includes(text[at] ?? 'x')) at++;
    const character = text[at];
    const keys = around.at(-1);
    const close = keys === null ? ']' : '}';
    const isClosed = character === close && (next.startsWith('first') || next === 'comma') && keys !== undefined;
    if (isClosed) {
      around.pop();
      next = 'comma';
      at++;
    } else if (next === 'comma') {
      if (keys === undefined) return character === undefined ? repeated : describe(text, { at, expected: 'end' });
      if (character !== ',') return describe(text, { at, expected: keys === null ? 'bracket' : 'brace' });
      next = keys === null ? 'value' : 'key';
      at++;
    } else if (next === 'colon') {
      if (character !== ':') return describe(text, { at, expected: '":"' });
      next = 'value';
      at++;
    } else if (character === '"') {
      const end = findStringEnd(text, at);
      if (typeof end === 'object') return describe(text, end);
      if (next.endsWith('key')) {
        const key = JSON.parse(text.slice(at, end)) as string;
        if (keys!.has(key)) repeated ??= ['repeated', ...placeOf(text, at)];
        keys!.add(key);
        next = 'colon';
      } else next = 'comma';
      at = end;
    } else if (next.endsWith('key')) {
      return describe(text, { at, expected: next === 'first key' ? 'key_or_brace' : 'key' });
    } else if (character === '[' || character === '{') {
      around.push(character === '[' ? null : new Set());
      next = character === '[' ? 'first value' : 'first key';
      at++;
    } else {
      const length = matchAt(NUMBER_OR_WORD, text, at)?.length;
      if (length === undefined)
        return describe(text, { at, expected: next === 'value' ? 'value' : 'value_or_bracket' });
      next = 'comma';
      at += length;
    }
  }
}

/** Returns the position after a string that starts at a quote, or where the string breaks off. */
function findStringEnd(text: string, start: number): number | Break {
  CHARACTERS.lastIndex = start + 1;
  let at = start + 1;
  while (CHARACTERS.test(text)) at = CHARACTERS.lastIndex;
  if (text[at] === '"') return at + 1;
  if (text[at] === '\\') return { at: at + 1, expected: 'escape' };
  return { at, expected: 'quote' };
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function describe(text: string, { at, expected }: Break): JsonFault {
  return ['unexpected', ...placeOf(text, at), expected, ...nameFound(text, at)];
}

/** Quotes little, and only visible characters. */
function nameFound(text: string, at: number): string[] {
  if (at >= text.length) return ['end'];
  if (text[at] === '\n' || text[at] === '\r') return ['line_break'];
  if (CURLY_QUOTE.test(text[at]!)) return ['curly_quote', text[at]!];
  const quoted = matchAt(QUOTED, text, at);
  if (quoted !== undefined) return [`"${quoted}"`];
  return [`U+${text.codePointAt(at)!.toString(16).toUpperCase().padStart(4, '0')}`];
}

/** Returns the line and the column of a position, as editors count them. */
export function placeOf(text: string, at: number): [line: string, column: string] {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  return [String(line), String(at - start + 1)];
}

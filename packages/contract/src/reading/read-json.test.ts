import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../causes.ts';
import { findJsonFault } from './json-fault.ts';
import { readJson } from './read-json.ts';

const BATCH = '{\n  "channelCode": "Café",\n  "syncMode": "async"\n}';

/** The cause and the message of the refusal of bytes. */
function refusalOf(bytes: string | Uint8Array): string {
  try {
    readJson(Buffer.from(bytes as string));
    return 'none';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.reason} ${error.message}`;
  }
}

describe('a text that is not JSON', () => {
  it.each([
    ['{"a":}', 'line 1, column 6', 'found "}"'],
    ['{\n\t"a": 1\r\n\t"b": 2}', 'line 3, column 2', 'found """'],
    ['{"a": 1,\n}', 'line 2, column 1', 'found "}"'],
    ['[1,\n]', 'line 2, column 1', 'found "]"'],
    ['{"a" 1}', 'line 1, column 6', 'found "1"'],
    ['[1 2]', 'line 1, column 4', 'found "2"'],
    ['[1}', 'line 1, column 3', 'found "}"'],
    ['{"a":1}}', 'line 1, column 8', 'found "}"'],
    ['{"a":1} {', 'line 1, column 9', 'found "{"'],
    ['{"a":', 'line 1, column 6', 'found the end'],
    ['["a', 'line 1, column 4', 'found the end'],
    ['["a\n"]', 'line 1, column 4', 'found a line break'],
    ['["a\u001b[2J"]', 'line 1, column 4', 'found U+001B'],
    ['["a\\x"]', 'line 1, column 5', 'found "x"'],
    ['["\\u00g0"]', 'line 1, column 4', 'found "u00g0"'],
    ['[True]', 'line 1, column 2', 'found "True"'],
    ['[SecretSecret]', 'line 1, column 2', 'found "SecretSe"'],
    ['[NaN]', 'line 1, column 2', 'found "NaN"'],
    ['[01]', 'line 1, column 3', 'found "1"'],
    ['[1.]', 'line 1, column 3', 'found "."'],
    ["{'a': 1}", 'line 1, column 2', 'found "\'"'],
    ['{“a”: 1}', 'line 1, column 2', 'found the curly quote “'],
    ['["a", ‘b’]', 'line 1, column 7', 'found the curly quote ‘'],
    ['[\u00a01]', 'line 1, column 2', 'found U+00A0'],
    ['\ufeff\ufeff[]', 'line 1, column 1', 'found U+FEFF'],
    ['[💥]', 'line 1, column 2', 'found "💥"'],
    ['# Orders', 'line 1, column 1', 'found "#"'],
    ['\0', 'line 1, column 1', 'found U+0000'],
  ])('is refused with the place, and what is there: %j', (text, place, found) => {
    const refusal = refusalOf(text);
    expect(refusal).toContain(`json_malformed body: `);
    expect(refusal).toContain(`${place}: expected `);
    expect(refusal.endsWith(`${found}.`)).toBe(true);
  });

  it.each<[what: string, bytes: Uint8Array, named: string]>([
    ['UTF-16', Buffer.from(BATCH, 'utf16le'), 'UTF-16'],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${BATCH}`, 'utf16le'), 'UTF-16'],
    ['big-endian UTF-16', Buffer.from(BATCH, 'utf16le').swap16(), 'UTF-16'],
    ['gzip', gzipSync(BATCH), 'gzip'],
    ['GBK', Buffer.from(`7b22c4e3bac3223a317d`, 'hex'), 'line 1, column 3: expected UTF-8, found GBK'],
    ['Latin-1', Buffer.from(BATCH, 'latin1'), 'line 2, column 22: expected UTF-8, found the byte 0xE9'],
    ['UTF-8 that is cut', Buffer.from('["é').subarray(0, 3), 'line 1, column 3: expected UTF-8'],
  ])('is named: %s', (_what, bytes, named) => {
    expect(refusalOf(bytes)).toMatch(/^json_malformed body: /);
    expect(refusalOf(bytes)).toContain(named);
  });

  const piece = fc.constantFrom(
    ...'{}[]:,"\\ \n\t',
    ...['"a"', '"b":', '1', '-', '0.5e1', 'true', 'nul', '\\u00e9', 'é', '\u001f'],
  );
  const almost = fc
    .tuple(fc.jsonValue({ maxDepth: 3 }), fc.nat(), fc.nat(2), fc.oneof(piece, fc.string()))
    .map(([value, at, dropped, added]) => {
      const text = JSON.stringify(value, null, at % 3);
      const place = at % (text.length + 1);
      return text.slice(0, place) + added + text.slice(place + dropped);
    });

  it('is what JSON.parse refuses', () => {
    let refused = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          almost,
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (text) => {
          const fault = findJsonFault(text);
          let isJson = true;
          try {
            JSON.parse(text);
          } catch {
            isJson = false;
            refused++;
          }
          expect(fault === undefined || fault[0] === 'repeated').toBe(isJson);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: a message never has them
          expect(fault?.join() ?? '').not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
        },
      ),
      { numRuns: 5_000 },
    );
    expect(refused).toBeGreaterThan(1_000);
  });
});

describe('JSON', () => {
  it.each(['', ' \n', '\ufeff'])('that is blank is none: %j', (text) => {
    expect(readJson(Buffer.from(text))).toBeUndefined();
  });

  it.each([BATCH, `\ufeff${BATCH}`])('is parsed: %j', (text) => {
    expect(readJson(Buffer.from(text))).toEqual({ channelCode: 'Café', syncMode: 'async' });
  });

  it('that repeats a key is refused with its path, unless it is malformed', () => {
    const repeating = '[{"a":1,"\\u0061":null}]';
    expect(refusalOf(repeating)).toMatch(/^field_repeated \[0\]\.a: /);
    expect(refusalOf(`${repeating}]`)).toMatch(/^json_malformed /);
  });
});

import { isUtf8 } from 'node:buffer';
import { faultAt, Refusal } from '../causes.ts';
import { checkJsonShape, findRepeatedKey } from '../json-shape.ts';
import { findJsonFault, type JsonFault, placeOf } from './json-fault.ts';

const BYTE_ORDER_MARK = '\uFEFF';
const UTF16_MARKS = [0xfffe, 0xfeff];
const GZIP_MARK = 0x1f8b;

/**
 * Parses a text as JSON, with or without a byte order mark. Returns undefined if it is blank. Refuses bytes that are
 * not UTF-8, because decoding them would garble names.
 *
 * Throws a Refusal: json_malformed, field_repeated, and what checkJsonShape throws (rules 1 and 4).
 */
export function readJson(bytes: Buffer, maxListElements?: number): unknown {
  const fault = findEncodingFault(bytes);
  if (fault !== undefined) throw new Refusal('json_malformed', ...fault);
  const members = checkJsonShape(bytes, maxListElements);
  const whole = bytes.toString('utf8');
  const text = whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(1) : whole;
  if (text.trim() === '') return undefined;
  const value = parse(text);
  const repeated = findRepeatedKey(bytes, members, value);
  if (repeated !== undefined) throw refuseRepeated(repeated);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Refusal('json_malformed', ...(findJsonFault(text) ?? []));
  }
}

function refuseRepeated(path: string): Refusal {
  const refusal = new Refusal('field_repeated', path);
  refusal.faults = [faultAt(path, 'field_repeated')];
  return refusal;
}

/** Returns why bytes are not a text in UTF-8, if they aren't. */
function findEncodingFault(bytes: Buffer): JsonFault | undefined {
  const mark = bytes.length > 1 ? bytes.readUInt16BE() : 0;
  // The first character of JSON is ASCII, so without a mark one byte of it is 0.
  const isWide = bytes.length > 1 && (bytes[0] === 0) !== (bytes[1] === 0);
  if (isWide || UTF16_MARKS.includes(mark)) return ['utf16'];
  if (isUtf8(bytes)) return undefined;
  if (mark === GZIP_MARK) return ['gzip'];
  const text = bytes.toString('utf8');
  const again = Buffer.from(text);
  let start = 0;
  while (bytes[start] === again[start]) start++;
  let end = start;
  while (bytes[end]! > 0x7f) end++;
  const place = placeOf(text, bytes.toString('utf8', 0, start).length);
  // A character of GBK has two bytes; Latin-1 rarely has two such letters in a row.
  if ((end - start) % 2 === 0) return ['unexpected', ...place, 'UTF-8', 'GBK'];
  return ['unexpected', ...place, 'UTF-8', 'byte', `0x${bytes.toString('hex', start, start + 1).toUpperCase()}`];
}

import { isDeepStrictEqual } from 'node:util';
import { BODY_FAULTS, TEXT_FAULTS } from '../harness/orders/faults.ts';
import type { Random } from './random.ts';

type Json = unknown;
type Container = Record<string, Json> | Json[];

/** A place in a JSON value: its container and its key. */
interface Place {
  parent: Container;
  key: string | number;
  path: string;
}

/** Returns all places in a value, at any depth. */
function placesIn(value: Json, path = ''): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? value.keys().toArray() : Object.keys(value);
  return keys.flatMap((key) => {
    const own = `${path}${typeof key === 'number' ? `[${key}]` : `.${key}`}`;
    return [{ parent: value as Container, key, path: own }, ...placesIn((value as Record<string, Json>)[key], own)];
  });
}

/** Placeholder for nested lists or objects of a given depth. */
const NEST = /"@nest (\d+) (.)@"/g;

/** Returns a value as JSON text, with placeholders expanded. */
export function textOf(value: Json): string {
  return (JSON.stringify(value) ?? '').replace(NEST, (_, depth: string, kind: string) => {
    const [open, close] = kind === '[' ? ['[', ']'] : ['{"a":', '}'];
    return `${open.repeat(Number(depth))}1${close.repeat(Number(depth))}`;
  });
}

/** Words with a meaning elsewhere: in orders, in JavaScript, or to an attacker. */
const WORDS = ['new_buy', 'delete_asset', 'sync', 'async', 'cloud_customer', 'demo', '__proto__', 'constructor'];
const ATTACKS: Json[] = [`'; drop --`, '%s%n', '../../etc', { $ne: 1 }, { length: 3 }, { toString: 1 }];
const TIMES = [
  253_402_300_799_999,
  253_402_300_800_000,
  1_798_761_599_000_000,
  '2026-01-01',
  '-271821-04-20T00:00:00Z',
];
const OTHER_FORMS = ['é', 'e\u0301', '\u1112\u1161\u11ab', '\ufeff', 'a\r\nb', '漢'.repeat(5_000), '0'.repeat(300)];
const NEARLY_VALID = [1, -0.5, 2 ** 53 - 1, '0', '1', 'null', '1e9', [[]], [null], ['']];

/** Values that few or no fields accept. */
export const WILD_VALUES: readonly Json[] = [
  ...[...Object.values(BODY_FAULTS), ...Object.values(TEXT_FAULTS)].flat().map(([, value]) => value ?? null),
  ...[...WORDS, ...ATTACKS, ...TIMES, ...OTHER_FORMS, ...NEARLY_VALID],
].filter((value, index, all) => all.findIndex((each) => isDeepStrictEqual(each, value)) === index);

const nest = (random: Random) => `@nest ${random.oneOf([5, 17, 40, 400])} ${random.oneOf(['[', '{'])}@`;

type Mutation = (place: Place, random: Random) => void;

const read = ({ parent, key }: Place): Json => (parent as Record<string | number, Json>)[key];
/** Assigning to `__proto__` would not create a field. */
const write = ({ parent, key }: Place, value: Json) => {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
};

/** Mutations of one place. */
const MUTATIONS: Record<string, Mutation> = {
  drop({ parent, key }) {
    if (Array.isArray(parent)) parent.splice(key as number, 1);
    else delete parent[key];
  },
  null: (place) => write(place, null),
  wild: (place, random) => write(place, structuredClone(random.oneOf(WILD_VALUES))),
  nested: (place, random) => write(place, nest(random)),
  wrapped: (place, random) => write(place, random.isOneIn(2) ? [read(place)] : { value: read(place) }),
  'as text': (place) => write(place, textOf(read(place))),
  'with blanks': (place) => write(place, typeof read(place) === 'string' ? ` ${read(place)}\t` : ' 1 '),
  'in another form'(place, random) {
    const value = read(place);
    if (typeof value !== 'string') return;
    const widened = value.replace(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0));
    write(place, random.oneOf([widened, `${value}é`.normalize('NFD'), `${value}\u200b`, `${value}.0`]));
  },
  twice({ parent, key }) {
    if (Array.isArray(parent)) parent.push(structuredClone(parent[key as number]));
    else parent[`${key}2`] = parent[key];
  },
  many(place, random) {
    const { parent, key } = place;
    const count = random.oneOf([20, 101, 1_001, 10_001]);
    // Make fewer copies of large values, so that the body stays small enough to be accepted.
    const element = read(place);
    const size = textOf(element).length;
    const fitting = Math.max(2, Math.min(count, Math.floor(200_000 / Math.max(1, size))));
    const copies = Array.from({ length: fitting }, () => structuredClone(element));
    if (Array.isArray(parent)) parent.push(...copies);
    else parent[key] = copies;
  },
  misspelled({ parent, key }, random) {
    if (Array.isArray(parent)) return;
    const name = String(key);
    const at = random.below(name.length);
    const wrong = [
      name.toLowerCase(),
      name.slice(0, at) + name.slice(at + 1),
      name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
      `${name.slice(0, at)}${name[at + 1] ?? ''}${name[at] ?? ''}${name.slice(at + 2)}`,
    ];
    write({ parent, key: random.oneOf(wrong), path: '' }, parent[name]);
    if (random.isOneIn(2)) delete parent[name];
  },
  'unknown field'({ parent }, random) {
    const name = random.oneOf([
      ...['unknown', '__proto__', 'constructor', 'toString', '', 'a b', 'length', 'ID', '😀'],
      ...['limitEndTime', 'endDate', 'expires_at', 'validFrom', 'startTime'],
    ]);
    if (!Array.isArray(parent)) write({ parent, key: name, path: '' }, 1);
  },
};

/**
 * Mutates one place of a body, or replaces the whole body. Changes it in place if possible. Returns the body and a
 * description of the change.
 */
export function mutateJson(body: Json, random: Random): { body: Json; change: string } {
  const places = placesIn(body);
  if (places.length === 0 || random.isOneIn(40)) {
    const whole = random.oneOf<Json>([null, [], 'text', 5, true, [body], { body }, nest(random)]);
    return { body: whole, change: 'body: another whole' };
  }
  const place = random.oneOf(places);
  const name = random.oneOf(Object.keys(MUTATIONS));
  MUTATIONS[name]!(place, random);
  return { body, change: `body${place.path}: ${name}` };
}

/** Repeats a key of the text with a second value, perhaps escaped. */
export function repeatKey(text: string, random: Random): string {
  const keys = [...text.matchAll(/"([A-Za-z]+)":/g)];
  if (keys.length === 0) return text;
  const { index, 1: key = '' } = random.oneOf(keys);
  const written = random.isOneIn(2) ? key : `\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}`;
  return `${text.slice(0, index)}"${written}":${random.oneOf(['null', '1', '[]', '"a"'])},${text.slice(index)}`;
}

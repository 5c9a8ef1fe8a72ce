import { type ChangedField, HIDDEN, type OrderDifference } from '@lockstep/contract/console';
import type { PreparedBatch } from '@lockstep/orders';

/** How many changed fields are listed, and how many characters of a value: this bounds a difference. */
const MAX_CHANGES = 50;
const MAX_CHARACTERS = 200;

/**
 * Compares a batch with the failed orders that it replaces, by sequence. Lists a changed password without its value.
 */
export function compareWithFailed(
  { chunks }: { chunks: readonly Pick<PreparedBatch['chunks'][number], 'payload'>[] },
  failed: readonly unknown[],
): OrderDifference {
  const sent = bySequence(chunks.flatMap(({ payload }) => readPayload(payload)));
  const before = bySequence(failed);
  const difference: OrderDifference = {
    leftOut: [...before.keys()].filter((sequence) => !sent.has(sequence)).length,
    added: [...sent.keys()].filter((sequence) => !before.has(sequence)).length,
    changes: [],
    more: 0,
  };
  for (const [sequence, order] of [...sent].sort(([one], [other]) => one - other)) {
    for (const change of compare('', before.get(sequence), order)) {
      if (difference.changes.length < MAX_CHANGES) difference.changes.push({ sequence, ...change });
      else difference.more++;
    }
  }
  return difference;
}

const readPayload = (payload: string): unknown[] =>
  (JSON.parse(payload) as [index: number, order: unknown][]).map(([, order]) => order);

const bySequence = (orders: readonly unknown[]) =>
  new Map(orders.map((order) => [(order as { sequence: number }).sequence, order]));

function* compare(field: string, before: unknown, after: unknown): Generator<Omit<ChangedField, 'sequence'>> {
  const keys = [...new Set([...keysOf(before), ...keysOf(after)])];
  if (keys.length > 0 && isInside(before) && isInside(after)) {
    const isList = Array.isArray(before ?? after);
    for (const key of keys) {
      const path = isList ? `${field}[${key}]` : field === '' ? key : `${field}.${key}`;
      yield* compare(path, partOf(before, key), partOf(after, key));
    }
  } else if (before !== after && !(keys.length === 0 && isObject(before) && isObject(after))) {
    yield { field, ...shown('before', field, before), ...shown('after', field, after) };
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isInside = (value: unknown) => value === undefined || isObject(value);
const keysOf = (value: unknown) => (isObject(value) ? Object.keys(value) : []);
const partOf = (value: unknown, key: string) => (isObject(value) ? value[key] : undefined);

/** Returns a value as the audit log stores it; nothing if it is absent. */
function shown(side: 'before' | 'after', field: string, value: unknown): Partial<ChangedField> {
  if (value === undefined) return {};
  if (/(^|\.)passwords(\[|$)/.test(field)) return { [side]: HIDDEN };
  const isLong = typeof value === 'string' && value.length > MAX_CHARACTERS;
  return { [side]: isLong ? `${value.slice(0, MAX_CHARACTERS)}…` : value };
}

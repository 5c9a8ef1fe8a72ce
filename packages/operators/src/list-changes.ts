import { Refusal } from '@lockstep/contract';
import type { RecordEntry } from '@lockstep/contract/console';
import { type Database, isId, readCursor, writeCursor } from '@lockstep/platform';

/** Which changes are looked for, and which page of them. */
interface ChangeQuery {
  /** The name of who made them. */
  operator: string | undefined;
  action: string | undefined;
  target: string | undefined;
  limit: number;
  cursor: string | undefined;
}

/**
 * Lists what operators changed, newest first.
 *
 * Throws a Refusal: field_invalid for a cursor that is not of this list.
 */
export async function listChanges(
  db: Database,
  { operator, action, target, limit, cursor }: ChangeQuery,
): Promise<{ entries: RecordEntry[]; nextCursor: string | null }> {
  const scope = ['console.listRecord', operator ?? null, action ?? null, target ?? null];
  const place = cursor === undefined ? undefined : readCursor(scope, cursor, [isId]);
  if (place === null) throw new Refusal('field_invalid', 'cursor', 'is not a cursor of this list');
  const rows = await db
    .selectFrom('operator_record as record')
    .leftJoin('operator', 'operator.id', 'record.operator_id')
    .select(['record.id', 'record.recorded_time', 'operator.name', 'record.action', 'record.target'])
    .select(['record.before', 'record.after', 'record.request_id'])
    // An id, not a join, so that the index of an operator's changes leads to them.
    .$if(operator !== undefined, (query) =>
      query.where('record.operator_id', '=', ({ selectFrom }) =>
        selectFrom('operator as wanted').select('wanted.id').where('wanted.name', '=', operator!),
      ),
    )
    .$if(action !== undefined, (query) => query.where('record.action', '=', action!))
    .$if(target !== undefined, (query) => query.where('record.target', '=', target!))
    .$if(place !== undefined, (query) => query.where('record.id', '<', place![0]!))
    .orderBy('record.id', 'desc')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    entries: page.map((row) => ({
      entryId: row.id,
      time: row.recorded_time.getTime(),
      operator: row.name,
      action: row.action,
      target: row.target,
      before: row.before,
      after: row.after,
      requestId: row.request_id,
    })),
    nextCursor: rows.length > limit && last !== undefined ? writeCursor(scope, [last.id]) : null,
  };
}

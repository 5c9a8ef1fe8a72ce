import type { RecordEntry } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';

/** Which changes are looked for. */
interface ChangeFilters {
  /** The name of who made them. */
  operator: string | undefined;
  action: string | undefined;
  target: string | undefined;
}

/**
 * Lists what operators changed, newest first: a page of what is behind an id, and the id that it ends with, null at the
 * end.
 */
export async function listChanges(
  db: Database,
  { operator, action, target }: ChangeFilters,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ entries: RecordEntry[]; stop: string | null }> {
  const rows = await db
    .selectFrom('operator_record as record')
    .leftJoin('operator', 'operator.id', 'record.operator_id')
    .select(['record.id', 'record.recorded_time', 'operator.name', 'record.actor', 'record.action', 'record.target'])
    .select(['record.before', 'record.after', 'record.request_id'])
    // An id, not a join, so that the index of an operator's changes leads to them.
    .$if(operator !== undefined, (query) =>
      query.where('record.operator_id', '=', ({ selectFrom }) =>
        selectFrom('operator as wanted').select('wanted.id').where('wanted.name', '=', operator!),
      ),
    )
    .$if(action !== undefined, (query) => query.where('record.action', '=', action!))
    .$if(target !== undefined, (query) => query.where('record.target', '=', target!))
    .$if(after !== null, (query) => query.where('record.id', '<', after!))
    .orderBy('record.id', 'desc')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  return {
    entries: page.map((row) => ({
      entryId: row.id,
      time: row.recorded_time.getTime(),
      operator: row.name,
      actor: row.actor,
      action: row.action,
      target: row.target,
      before: row.before,
      after: row.after,
      requestId: row.request_id,
    })),
    stop: rows.length > limit ? page.at(-1)!.id : null,
  };
}

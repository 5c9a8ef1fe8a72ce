import type { RecordEntry } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';

/** Filters of the audit log. */
interface ChangeFilters {
  /** The operator's name. */
  operator: string | undefined;
  action: string | undefined;
  target: string | undefined;
}

/** Lists a page of the audit log, newest first, after the id `after`. `stop` is the page's last id; null at the end. */
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
    // Compares the id instead of the joined name, so that PostgreSQL can use the index of an operator's entries.
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

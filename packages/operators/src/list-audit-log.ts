import type { OperatorAuditEntry } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';

/** Filters of the audit log. */
interface AuditLogFilters {
  /** The operator's name. */
  operator: string | undefined;
  action: string | undefined;
  target: string | undefined;
}

/** Lists a page of the audit log, newest first, after the id `after`. `stop` is the page's last id; null at the end. */
export async function listAuditLog(
  db: Database,
  { operator, action, target }: AuditLogFilters,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ entries: OperatorAuditEntry[]; stop: string | null }> {
  const rows = await db
    .selectFrom('operator_audit as entry')
    .leftJoin('operator', 'operator.id', 'entry.operator_id')
    .select(['entry.id', 'entry.recorded_time', 'operator.name', 'entry.actor', 'entry.action', 'entry.target'])
    .select(['entry.before', 'entry.after', 'entry.request_id'])
    // Compares the id instead of the joined name, so that PostgreSQL can use the index of an operator's entries.
    .$if(operator !== undefined, (query) =>
      query.where('entry.operator_id', '=', ({ selectFrom }) =>
        selectFrom('operator as wanted').select('wanted.id').where('wanted.name', '=', operator!),
      ),
    )
    .$if(action !== undefined, (query) => query.where('entry.action', '=', action!))
    .$if(target !== undefined, (query) => query.where('entry.target', '=', target!))
    .$if(after !== null, (query) => query.where('entry.id', '<', after!))
    .orderBy('entry.id', 'desc')
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

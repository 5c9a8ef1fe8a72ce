import type { AuditAction, EnterpriseId, MemberId } from '@lockstep/contract';
import type { NamedAuditEntry } from '@lockstep/contract/console';
import { type Database, isId } from '@lockstep/platform';
import { sql } from 'kysely';

interface StoredEntry {
  id: string;
  recorded_time: Date;
  actor_id: MemberId;
  actor_account: string | null;
  action: AuditAction;
  target_id: MemberId | null;
  target_account: string | null;
  detail: NamedAuditEntry['detail'];
  request_id: string;
}

/** Lists the audit log of an enterprise, newest first, with the accounts of the employees that entries name. */
export async function listAuditOfAll(
  db: Database,
  enterpriseId: EnterpriseId,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ entries: NamedAuditEntry[]; stop: string | null }> {
  if (!isId(enterpriseId)) return { entries: [], stop: null };
  const accountOf = (column: 'actor_id' | 'target_id') => sql`(
    select user_name || '@' || code from member join enterprise on enterprise.id = enterprise_id
    where member.id = ${sql.ref(column)}
  )`;
  const behind = after === null ? sql`` : sql`and id < ${after}`;
  const { rows } = await sql<StoredEntry>`
    select id, recorded_time, actor_id, ${accountOf('actor_id')} as actor_account, action, target_id,
      ${accountOf('target_id')} as target_account, detail, request_id
    from (
      select * from member_audit where enterprise_id = ${enterpriseId} ${behind} order by id desc limit ${limit + 1}
    ) as entry order by id desc`.execute(db);
  const page = rows.slice(0, limit);
  return {
    entries: page.map((row) => ({
      id: row.id,
      time: row.recorded_time.getTime(),
      actorGlobalId: row.actor_id,
      actorAccount: row.actor_account,
      action: row.action,
      targetGlobalId: row.target_id,
      targetAccount: row.target_account,
      detail: row.detail,
      requestId: row.request_id,
    })),
    stop: rows.length > limit ? page.at(-1)!.id : null,
  };
}

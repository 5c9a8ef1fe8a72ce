import type { EnterpriseId } from '@lockstep/contract';
import type { ConsoleData, ConsoleRequest, NamedAuditEntry } from '@lockstep/contract/console';
import { type Database, inMs, ListCursor } from '@lockstep/platform';
import { sql } from 'kysely';

/**
 * Lists the audit log of an enterprise, newest first, with the accounts of the employees that entries name. Throws a
 * WrongCursor.
 */
export async function listAuditOfAll(
  db: Database,
  enterpriseId: EnterpriseId,
  { limit, cursor }: ConsoleRequest<'listEnterpriseAuditLog'>['query'],
): Promise<ConsoleData<'listEnterpriseAuditLog'>> {
  const cursors = new ListCursor(['enterpriseAuditLog', enterpriseId], cursor);
  const accountOf = (column: 'actor_id' | 'target_id') => sql`(
    select user_name || '@' || code from member join enterprise on enterprise.id = enterprise_id
    where member.id = ${sql.ref(column)}
  )`;
  const behind = cursors.after === null ? sql`` : sql`and id < ${cursors.after[0]}`;
  const { rows } = await sql<NamedAuditEntry>`
    select id, ${inMs('recorded_time')} as time, actor_id as "actorGlobalId", ${accountOf('actor_id')} as "actorAccount",
      action, target_id as "targetGlobalId", ${accountOf('target_id')} as "targetAccount", detail,
      request_id as "requestId"
    from (
      select * from member_audit where enterprise_id = ${enterpriseId} ${behind} order by id desc limit ${limit + 1}
    ) as entry order by entry.id desc`.execute(db);
  const { page: entries, nextCursor } = cursors.cut(rows, limit, ({ id }) => [id]);
  return { entries, nextCursor };
}

import { assetsOf, showFacts, type VerdictFacts, verdictFacts } from '@lockstep/assets';
import type { EnterpriseId, MemberId, Operator } from '@lockstep/contract';
import type {
  Administrator,
  ConsoleData,
  ConsoleRequest,
  EmployeeRow,
  Holder,
  NamedAuditEntry,
} from '@lockstep/contract/console';
import { contains, type Database, inMs, ListCursor, readBest, readWalk } from '@lockstep/platform';
import { sql } from 'kysely';
import { selectEmployees } from './tenant.ts';

/** The most administrators of an enterprise, and the most assets of an employee, that are shown. */
const MAX_ADMINISTRATORS = 20;
const MAX_HELD = 20;

/** Lists the administrators of an enterprise, oldest first, and counts its employees. */
export async function listAdministrators(
  db: Database,
  enterpriseId: EnterpriseId,
): Promise<{ administrators: Administrator[]; employeeCount: number }> {
  const employees = selectEmployees(db, { enterpriseId });
  const administrators = await employees
    .select([
      'member.id as memberGlobalId',
      'member.name',
      sql<string>`user_name || '@' || code`.as('account'),
      sql<boolean>`password_hash is not null`.as('hasPassword'),
    ])
    .where('member.is_administrator', '=', true)
    .orderBy('member.id')
    .limit(MAX_ADMINISTRATORS)
    .execute();
  const { count } = await employees.select(({ fn }) => fn.countAll<string>().as('count')).executeTakeFirstOrThrow();
  return { administrators, employeeCount: Number(count) };
}

type Held = EmployeeRow['held'][number];
type HoldingEmployee = Omit<EmployeeRow, 'held'> & { held: (Omit<Held, 'verdict'> & { facts: VerdictFacts })[] };

/**
 * Lists the employees of an enterprise with the assets that the operator sees, newest first; with a text, those that
 * match it. Throws a WrongCursor.
 */
export async function listEmployeesOfAll(
  db: Database,
  viewer: Operator,
  enterpriseId: EnterpriseId,
  { limit, cursor, text }: ConsoleRequest<'listEmployees'>['query'],
): Promise<ConsoleData<'listEmployees'>> {
  const cursors = new ListCursor(['employees', enterpriseId, { text }], cursor);
  const behind = cursors.after === null ? sql`` : sql`and member.id < ${cursors.after[0]}`;
  const isSeen = viewer.channels === null ? sql`` : sql`and asset_id in (select id from ${assetsOf(viewer)} as asset)`;
  const { user, hasCode } = splitAccount(text ?? '');
  const { page, last } = await readWalk<HoldingEmployee>(db, {
    walk: sql`
      select member.*, code, user_name || '@' || code as account
      from member join enterprise on enterprise.id = enterprise_id
      where enterprise_id = ${enterpriseId} and deleted_time is null ${behind} order by member.id desc`,
    wanted: text === undefined ? null : sql`${contains('member.searched', user)} and ${hasCode}`,
    as: 'member',
    columns: sql`
      id as "memberGlobalId", account, name, is_administrator as "isAdministrator",
      password_hash is not null as "hasPassword", department_id::float8 as "departmentId", remark,
      password_mobile as "passwordMobile", ${inMs('created_time')} as "createdTime",
      ${inMs('updated_time')} as "updatedTime", coalesce(held, '[]') as held, held_count as "heldCount"`,
    joins: sql`cross join lateral (
      select count(*)::float8 as held_count,
        json_agg(json_build_object('assetNum', asset_num, 'lentInto', lock_num, 'facts', facts) order by nth)
          filter (where nth <= ${MAX_HELD}) as held
      from (
        select asset_id, row_number() over (order by created_time, asset_id) as nth
        from asset_assignment where member_id = member.id ${isSeen}
      ) as assignment
      left join lateral (
        select asset.asset_num, lock.asset_num as lock_num, ${verdictFacts({ channels: viewer.channels })} as facts from asset
        left join asset_lending as lending on lending.asset_id = asset.id
        left join ${assetsOf(viewer)} as lock on lock.id = lending.lock_asset_id
        where asset.id = assignment.asset_id and nth <= ${MAX_HELD}
      ) as asset on true
    ) as assigned`,
    limit,
  });
  const employees = page.map(({ held, ...employee }) => ({
    ...employee,
    held: held.map(({ facts, ...asset }) => ({ ...asset, verdict: showFacts(facts).verdict })),
  }));
  return { employees, nextCursor: cursors.write(last ? [last.memberGlobalId] : null) };
}

/** Splits a text at its @: `searched` has accounts up to there. */
function splitAccount(text: string) {
  const [, user = text, code = ''] = /^(.*@)(.*)$/.exec(text) ?? [];
  return { user, hasCode: sql`starts_with(code, ${code.toLowerCase()})` };
}

/** Finds the employees that match a text best, of the enterprises that an operator sees, without deleted ones. */
export function searchEmployees(db: Database, { channels }: Operator, text: string, limit: number) {
  const isSeen =
    channels === null
      ? sql`true`
      : sql`exists (select from customer where customer.enterprise_id = enterprise.id and channel_code = any (${[...channels]}::text[]))`;
  const { user, hasCode } = splitAccount(text);
  return readBest<Holder & { enterpriseGlobalId: EnterpriseId }>(db, {
    table: 'member',
    rows: sql`(
      select member.* from member join enterprise on enterprise.id = enterprise_id
      where deleted_time is null and ${hasCode} and ${isSeen}
    )`,
    text: user,
    columns: sql`member.id as "memberGlobalId", user_name || '@' || code as account, member.name,
      enterprise_id as "enterpriseGlobalId"`,
    joins: sql`join enterprise on enterprise.id = enterprise_id`,
    limit,
  });
}

/** Reads employees of any enterprise by their ids, deleted ones too. No employee has the id null. */
export async function readEmployees(
  db: Database,
  ids: Iterable<MemberId | null>,
): Promise<Map<MemberId | null, Holder>> {
  const { rows } = await sql<Holder>`
    select member.id as "memberGlobalId", user_name || '@' || code as account, member.name
    from member join enterprise on enterprise.id = enterprise_id
    where member.id = any (${[...new Set(ids)]}::bigint[])`.execute(db);
  return new Map(rows.map((holder) => [holder.memberGlobalId, holder]));
}

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

import type { EnterpriseId, MemberId } from '@lockstep/contract';
import type { Administrator, EmployeeRow, Holder } from '@lockstep/contract/console';
import { type Database, isId, parseBigint } from '@lockstep/platform';
import { sql } from 'kysely';

/** The most administrators of an enterprise, and the most assets of an employee, that are shown. */
const MAX_ADMINISTRATORS = 20;
const MAX_HELD = 20;
/** The most employees that one call scans, however few match. */
const MAX_LOOKED_AT = 2_000;

/** Reads the names of employees, by id. */
export async function readHolders(db: Database, memberIds: Iterable<MemberId>): Promise<Map<MemberId, Holder>> {
  const ids = [...new Set(memberIds)].filter(isId);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Holder>`
    select member.id as "memberGlobalId", user_name || '@' || code as account, member.name
    from member join enterprise on enterprise.id = enterprise_id
    where member.id = any (${ids}::bigint[])`.execute(db);
  return new Map(rows.map((holder) => [holder.memberGlobalId, holder]));
}

/** Lists the administrators of an enterprise, oldest first, and counts its employees. */
export async function listAdministrators(
  db: Database,
  enterpriseId: EnterpriseId,
): Promise<{ administrators: Administrator[]; employeeCount: number }> {
  const { rows: administrators } = await sql<Administrator>`
    select member.id as "memberGlobalId", user_name || '@' || code as account, member.name,
      password_hash is not null as "hasPassword"
    from member join enterprise on enterprise.id = enterprise_id
    where enterprise_id = ${enterpriseId} and deleted_time is null and is_administrator
    order by member.id limit ${MAX_ADMINISTRATORS}`.execute(db);
  const { rows } = await sql<{ count: string }>`
    select count(*) from member where enterprise_id = ${enterpriseId} and deleted_time is null`.execute(db);
  return { administrators, employeeCount: Number(rows[0]!.count) };
}

interface StoredEmployee {
  id: MemberId;
  account: string;
  name: string;
  is_administrator: boolean;
  has_password: boolean;
  department_id: string | null;
  remark: string | null;
  password_mobile: string | null;
  created_time: Date;
  updated_time: Date;
  held: EmployeeRow['held'] | null;
  held_count: string;
  is_wanted: boolean;
}

/** Lists the employees of an enterprise with their assets, newest first; with a text, those that match it. */
export async function listEmployeesOfAll(
  db: Database,
  { enterpriseId, text }: { enterpriseId: EnterpriseId; text: string | undefined },
  { after, limit }: { after: MemberId | null; limit: number },
): Promise<{ employees: EmployeeRow[]; stop: MemberId | null }> {
  if (!isId(enterpriseId)) return { employees: [], stop: null };
  const behind = after === null ? sql`` : sql`and member.id < ${after}`;
  const { rows } = await sql<StoredEmployee>`
    with walked as (
      select row_number() over () as place, found.* from (
        select member.*, user_name || '@' || code as account
        from member join enterprise on enterprise.id = enterprise_id
        where enterprise_id = ${enterpriseId} and deleted_time is null ${behind}
        order by member.id desc limit ${MAX_LOOKED_AT}
      ) as found
    )
    select id, account, name, is_administrator, password_hash is not null as has_password, department_id, remark,
      password_mobile, created_time, updated_time, assigned.held, held_count, is_wanted
    from (
      (
        select *, true as is_wanted from walked where ${text === undefined ? sql`true` : holds(text)}
        order by place limit ${limit + 1}
      )
      union all
      (select *, false from walked where place = ${MAX_LOOKED_AT})
    ) as member
    cross join lateral (
      select count(*) as held_count,
        json_agg(json_build_object('assetNum', asset_num, 'lentInto', lock_num) order by nth)
          filter (where nth <= ${MAX_HELD}) as held
      from (
        select asset_id, row_number() over (order by created_time, asset_id) as nth
        from asset_assignment where member_id = member.id
      ) as assignment
      left join lateral (
        select asset.asset_num, lock.asset_num as lock_num from asset
        left join asset_lending as lending on lending.asset_id = asset.id
        left join asset as lock on lock.id = lending.lock_asset_id
        where asset.id = assignment.asset_id and nth <= ${MAX_HELD}
      ) as asset on true
    ) as assigned
    order by is_wanted desc, place`.execute(db);
  const found = rows.filter((row) => row.is_wanted);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : rows.find((row) => !row.is_wanted);
  return { employees: page.map(buildEmployeeRow), stop: last?.id ?? null };
}

/** Returns the condition that the name or account contains a text, ignoring case and without wildcards. */
const holds = (text: string) => sql`(
  strpos(casefold(name collate pg_unicode_fast), casefold(${text}::text collate pg_unicode_fast)) > 0
  or strpos(casefold(account collate pg_unicode_fast), casefold(${text}::text collate pg_unicode_fast)) > 0
)`;

function buildEmployeeRow(row: StoredEmployee): EmployeeRow {
  return {
    memberGlobalId: row.id,
    account: row.account,
    name: row.name,
    isAdministrator: row.is_administrator,
    hasPassword: row.has_password,
    departmentId: parseBigint(row.department_id),
    remark: row.remark,
    passwordMobile: row.password_mobile,
    createdTime: row.created_time.getTime(),
    updatedTime: row.updated_time.getTime(),
    held: row.held ?? [],
    heldCount: Number(row.held_count),
  };
}

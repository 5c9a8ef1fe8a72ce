import { buildPage, countRowsBefore } from '@lockstep/assets';
import type { EmployeePage, ListEmployees, MemberId } from '@lockstep/contract';
import { type Database, inSnapshot, ListCursor, type Trx } from '@lockstep/platform';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, selectEmployees, selectEnterpriseAssets } from '../tenant.ts';
import { buildEmployee } from './change.ts';

/**
 * M5: lists the employees of the actor's enterprise with their assets, newest first (interface M5; rules 8).
 *
 * Throws a WrongCursor.
 */
export async function listEmployees(db: Database, actor: Actor, query: ListEmployees): Promise<EmployeePage> {
  const { departmentId, keyword, cursor, pageSize } = query;
  const cursors = new ListCursor(['employees', actor.enterpriseId, { departmentId, keyword }], cursor);
  return await inSnapshot(db, async (trx) => {
    const selectFound = () => {
      return selectEmployees(trx, actor)
        .$if(departmentId !== undefined, (all) => all.where('department_id', '=', String(departmentId)))
        .$if(keyword !== undefined, (all) => all.where(buildMatch(keyword!)));
    };
    const { total } = await selectFound()
      .select((eb) => eb.fn.countAll<string>().as('total'))
      .executeTakeFirstOrThrow();
    const found = await selectFound()
      .selectAll('member')
      .select('enterprise.code')
      .orderBy('member.id', 'desc')
      .limit(pageSize + 1)
      .$if(cursors.after === null, (all) => all.offset(countRowsBefore(query)))
      .$if(cursors.after !== null, (all) => all.where('member.id', '<', cursors.after![0] as MemberId))
      .execute();
    const rows = found.slice(0, pageSize);
    const ids = rows.map(({ id }) => id);
    const held = await readHeld(trx, actor, ids);
    const list = rows.map((row) => {
      const assets = held.get(row.id) ?? [];
      const locks = new Set(assets.flatMap(({ lockNum }) => (lockNum === null ? [] : [lockNum])));
      return {
        ...buildEmployee(row),
        passwordMobile: row.password_mobile ?? '',
        assetNums: assets.map(({ assetNum }) => assetNum),
        borrowNum: [...locks].join(','),
        onlineFlag: false,
        boundUserInfo: null,
      };
    });
    const nextCursor = cursors.write(found.length > pageSize ? [rows.at(-1)!.id] : null);
    return { ...buildPage(query, Number(total), list), nextCursor };
  });
}

/**
 * Returns the condition that the name or account contains a text, ignoring case and without wildcards. The enterprise
 * code, which ends every account, is compared only if the text has an @.
 */
function buildMatch(keyword: string): RawBuilder<SqlBool> {
  const account = keyword.includes('@') ? sql`user_name || '@' || code` : sql`user_name`;
  const folded = (text: RawBuilder<unknown>) => sql`casefold(${text} collate pg_unicode_fast)`;
  const holds = (text: RawBuilder<unknown>) => sql`strpos(${folded(text)}, ${folded(sql`${keyword}::text`)}) > 0`;
  return sql<SqlBool>`(${holds(sql`member.name`)} or ${holds(account)})`;
}

interface Held {
  assetNum: string;
  /** The number of the borrowed lock the asset is lent into. */
  lockNum: string | null;
}

/** Reads the assets of employees in the order of assignment, by employee. */
async function readHeld(trx: Trx, actor: Actor, memberIds: MemberId[]): Promise<Map<string, Held[]>> {
  if (memberIds.length === 0) return new Map();
  const locks = selectEnterpriseAssets(trx, actor).select(['asset.id', 'asset.asset_num']).as('lock');
  const rows = await selectEnterpriseAssets(trx, actor)
    .innerJoin('asset_assignment as held', 'held.asset_id', 'asset.id')
    .leftJoin('asset_lending as lent', 'lent.asset_id', 'held.asset_id')
    .leftJoin(locks, 'lock.id', 'lent.lock_asset_id')
    .select(['held.member_id as memberId', 'asset.asset_num as assetNum', 'lock.asset_num as lockNum'])
    .where('held.member_id', 'in', memberIds)
    .orderBy('held.created_time')
    .orderBy('held.asset_id')
    .execute();
  return Map.groupBy(rows, (row) => row.memberId);
}

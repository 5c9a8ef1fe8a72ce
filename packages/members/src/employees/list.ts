import type { ListEmployees, ListedEmployee, MemberId, Page } from '@lockstep/contract';
import { type Database, inSnapshot, type Trx } from '@lockstep/platform';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { selectEnterpriseAssets } from '../assets/tenant.ts';
import { buildPage, countRowsBefore } from '../rules/page.ts';
import { selectEmployees } from '../tenant.ts';
import type { Actor } from '../tools.ts';
import { buildEmployee } from './employee.ts';

/** M5: lists the employees of the actor's enterprise with their assets, newest first (interface M5; rules 8). */
export function listEmployees(db: Database, actor: Actor, query: ListEmployees): Promise<Page<ListedEmployee>> {
  return inSnapshot(db, async (trx) => {
    const selectFound = () => {
      const { departmentId, keyword } = query;
      return selectEmployees(trx, actor)
        .$if(departmentId !== undefined, (all) => all.where('department_id', '=', String(departmentId)))
        .$if(keyword !== undefined, (all) => all.where(buildMatch(keyword!)));
    };
    const { total } = await selectFound()
      .select((eb) => eb.fn.countAll<string>().as('total'))
      .executeTakeFirstOrThrow();
    const rows = await selectFound()
      .selectAll('member')
      .select('enterprise.code')
      .orderBy('member.id', 'desc')
      .limit(query.pageSize)
      .offset(countRowsBefore(query))
      .execute();
    const held = await readHeld(
      trx,
      actor,
      rows.map(({ id }) => id),
    );
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
    return buildPage(query, Number(total), list);
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

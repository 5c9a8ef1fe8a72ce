import type { ListEmployees, ListedEmployee, Page } from '@lockstep/contract';
import { type Database, inSnapshot, type Trx } from '@lockstep/platform';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { assetsOf } from './asset-scope.ts';
import { employeeOf } from './employee.ts';
import { pageOf, rowsBefore } from './page.ts';
import { type Actor, employeesOf } from './scope.ts';

/** M5: the employees of the actor's enterprise, newest first, with what they hold (interface.md M5; decisions 8). */
export function listEmployees(db: Database, actor: Actor, query: ListEmployees): Promise<Page<ListedEmployee>> {
  return inSnapshot(db, async (trx) => {
    const found = () => {
      const { departmentId, keyword } = query;
      return employeesOf(trx, actor)
        .$if(departmentId !== undefined, (all) => all.where('department_id', '=', String(departmentId)))
        .$if(keyword !== undefined, (all) => all.where(matches(keyword!)));
    };
    const { total } = await found()
      .select((eb) => eb.fn.countAll<string>().as('total'))
      .executeTakeFirstOrThrow();
    const rows = await found()
      .selectAll('member')
      .select('enterprise.code')
      .orderBy('member.id', 'desc')
      .limit(query.pageSize)
      .offset(rowsBefore(query))
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
        ...employeeOf(row),
        passwordMobile: row.password_mobile ?? '',
        assetNums: assets.map(({ assetNum }) => assetNum),
        borrowNum: [...locks].join(','),
        onlineFlag: false,
        boundUserInfo: null,
      };
    });
    return pageOf(query, Number(total), list);
  });
}

/**
 * Whether a name or an account holds a text, whatever the case; every character stands for itself. The code of the
 * enterprise, which all accounts end with, is looked at only where the text has an @.
 */
function matches(keyword: string): RawBuilder<SqlBool> {
  const account = keyword.includes('@') ? sql`user_name || '@' || code` : sql`user_name`;
  const folded = (text: RawBuilder<unknown>) => sql`casefold(${text} collate pg_unicode_fast)`;
  const holds = (text: RawBuilder<unknown>) => sql`strpos(${folded(text)}, ${folded(sql`${keyword}::text`)}) > 0`;
  return sql<SqlBool>`(${holds(sql`member.name`)} or ${holds(account)})`;
}

interface Held {
  assetNum: string;
  lockNum: string | null;
}

/** What employees hold, in the order in which it was assigned, and the locks that it is lent into. */
async function readHeld(trx: Trx, actor: Actor, memberIds: string[]): Promise<Map<string, Held[]>> {
  if (memberIds.length === 0) return new Map();
  const locks = assetsOf(trx, actor).select(['asset.id', 'asset.asset_num']).as('lock');
  const rows = await assetsOf(trx, actor)
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

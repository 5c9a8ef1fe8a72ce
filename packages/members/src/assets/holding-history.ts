import type { Holding, HoldingPage, ListHoldings } from '@lockstep/contract';
import { type Database, inMs, isId, ListCursor, MAX_SCANNED, readWalk } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { type AssetTenant, allEmployeesOf, everHeldAssetsOf } from '../tenant.ts';

/**
 * Lists the assignments and loans of an enterprise, current and ended, newest first (rules 8).
 *
 * Throws a WrongCursor.
 */
export async function listHoldings(db: Database, tenant: AssetTenant, query: ListHoldings): Promise<HoldingPage> {
  const { memberGlobalId, assetNum, state, limit, cursor } = query;
  const { enterpriseId, channels } = tenant;
  const cursors = new ListCursor(['holdings', enterpriseId, channels, { memberGlobalId, assetNum, state }], cursor);
  if (memberGlobalId !== undefined && !isId(memberGlobalId)) return { holdings: [], nextCursor: null };
  const assets = everHeldAssetsOf(tenant);
  const { page: holdings, last } = await readWalk<Holding>(db, {
    walk: selectHoldings(tenant, query, cursors.after),
    wanted: sql`enterprise_id = ${enterpriseId}
      ${memberGlobalId === undefined ? sql`` : sql`and member_id = ${memberGlobalId}`}
      and exists (select from ${assets} as asset where asset.id = asset_id offset 0)`,
    as: 'holding',
    columns: sql`holding.id as "holdingId", case when lock_id is null then 'assignment' else 'loan' end as kind,
      asset_id as "assetId", (select asset_num from ${assets} as asset where asset.id = asset_id) as "assetNum",
      member_id as "memberGlobalId", account as "memberAccount", name as "memberName",
      (select asset_num from ${assets} as lock where lock.id = lock_id) as "lockAssetNum",
      ${inMs('began_time')} as "beganTime", began_by as "beganBy", ${inMs('ended_time')} as "endedTime",
      ended_by as "endedByGlobalId", ended_by_order_id as "licenseOrderId", end_cause as "endCause"`,
    joins: sql`left join lateral (
      select account, name from ${allEmployeesOf(tenant)} as employee where employee.id = member_id offset 0
    ) as employee on true`,
    limit,
  });
  return { holdings, nextCursor: cursors.write(last ? [last.holdingId] : null) };
}

/** Selects holdings, newest first, by an index: of assets and locks, else of the employee or the enterprise. */
function selectHoldings(
  tenant: AssetTenant,
  { memberGlobalId, assetNum, state }: ListHoldings,
  after: readonly string[] | null,
): RawBuilder<unknown> {
  const ofNumber = (isOfState: RawBuilder<unknown>) =>
    sql`select id from ${everHeldAssetsOf(tenant)} as asset where asset_num = ${assetNum} and revoked_time ${isOfState}`;
  const numbered = sql`(${ofNumber(sql`is null`)} union all ${ofNumber(sql`is not null`)}) as numbered`;
  const select = (columns: RawBuilder<unknown>, table: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`(
    select id, asset_id, enterprise_id, ${columns} from ${table} where ${condition}
      ${after === null ? sql`` : sql`and id < ${after[0]}`}
    order by id desc limit ${MAX_SCANNED}
  )`;
  const ofEmployee = sql`member_id = ${memberGlobalId}`;
  const ofEnterprise = sql`enterprise_id = ${tenant.enterpriseId}`;
  /** Those in a table, by its columns with the asset and the lock. */
  const listed = (
    columns: RawBuilder<unknown>,
    table: RawBuilder<unknown>,
    { byMember, keys }: { byMember: RawBuilder<unknown>; keys: readonly string[] },
  ) =>
    assetNum !== undefined
      ? keys.map((key) => {
          // One asset at a time, since an index has only those of one in order.
          const ofOne = select(columns, table, sql`${sql.ref(key)} = numbered.id`);
          return sql`(select held.* from ${numbered} cross join lateral ${ofOne} as held)`;
        })
      : [select(columns, table, memberGlobalId === undefined ? ofEnterprise : byMember)];
  const began = sql`created_time as began_time, created_by as began_by, null::timestamptz as ended_time,
    null::bigint as ended_by, null::bigint as ended_by_order_id, null as end_cause`;
  const current = [
    ...listed(sql`member_id, null::bigint as lock_id, ${began}`, sql`asset_assignment`, {
      byMember: ofEmployee,
      keys: ['asset_id'],
    }),
    ...listed(
      sql`(select member_id from asset_assignment as held where held.asset_id = lent.asset_id) as member_id,
        lock_asset_id as lock_id, ${began}`,
      sql`asset_lending as lent`,
      {
        // A loan's employee is that of its assignment.
        byMember: sql`asset_id = any (array(select asset_id from asset_assignment where ${ofEmployee}))`,
        keys: ['asset_id', 'lock_asset_id'],
      },
    ),
  ];
  const ended = listed(
    sql`member_id, lock_asset_id as lock_id, began_time, began_by, ended_time, ended_by, ended_by_order_id, end_cause`,
    sql`ended_holding`,
    { byMember: ofEmployee, keys: ['asset_id', 'lock_asset_id'] },
  );
  const kinds = [...(state === 'ended' ? [] : current), ...(state === 'current' ? [] : ended)];
  return sql`select * from (${sql.join(kinds, sql` union all `)}) as listed order by id desc`;
}

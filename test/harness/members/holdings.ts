import { randomUUID } from 'node:crypto';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { dataOf } from '../api.ts';
import type { Stack } from '../stack.ts';
import { MemberCenter } from './member-center.ts';

/** Inserts employees who cannot log in, in one statement: M1 would hash their passwords. */
export async function insertEmployees(db: Database, center: MemberCenter, count: number): Promise<string[]> {
  const prefix = `u${randomUUID().replaceAll('-', '').slice(0, 12)}x`;
  const { rows } = await sql<{ id: string }>`
    insert into member (enterprise_id, user_name, is_administrator, is_provisioned, name)
    select ${center.enterpriseId}, ${prefix} || number, false, false, 'Kim'
    from generate_series(1, ${count}::int) as number returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Opens an enterprise with an employee, to whom an asset is assigned that is lent into a lock. */
export async function openWithLoan(stack: Stack) {
  const center = await MemberCenter.open(stack);
  const [asset, lock, kim] = [(await center.buy())[0]!, (await center.buyLocks())[0]!, (await center.add())[0]!];
  await center.assign(kim.globalId, asset.assetNum);
  dataOf(await center.lend(kim.globalId, lock.assetNum, [asset.assetId]));
  return { center, asset, lock, kim };
}

/** Returns the ids of active assets, in the order of the given numbers. */
export async function idsOfNumbers(db: Database, assetNums: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select asset.id from unnest(${assetNums}::text[]) with ordinality as wanted (asset_num, place)
    join asset on asset.asset_num = wanted.asset_num and revoked_time is null order by place`.execute(db);
  if (rows.length !== assetNums.length) throw new Error(`Not all of ${assetNums.join(', ')} are active`);
  return rows.map(({ id }) => id);
}

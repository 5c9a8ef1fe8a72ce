import { randomUUID } from 'node:crypto';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import type { MemberCenter } from './member-center.ts';

/** Inserts employees who cannot log in, in one statement: M1 would hash their passwords. */
export async function insertEmployees(db: Database, center: MemberCenter, count: number): Promise<string[]> {
  const prefix = `u${randomUUID().replaceAll('-', '').slice(0, 12)}x`;
  const { rows } = await sql<{ id: string }>`
    insert into member (enterprise_id, user_name, is_administrator, is_provisioned, name)
    select ${center.enterpriseId}, ${prefix} || number, false, false, 'Kim'
    from generate_series(1, ${count}::int) as number returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns the ids of active assets, in the order of the given numbers. */
export async function idsOfNumbers(db: Database, assetNums: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select asset.id from unnest(${assetNums}::text[]) with ordinality as wanted (asset_num, place)
    join asset on asset.asset_num = wanted.asset_num and revoked_time is null order by place`.execute(db);
  if (rows.length !== assetNums.length) throw new Error(`Not all of ${assetNums.join(', ')} are active`);
  return rows.map(({ id }) => id);
}

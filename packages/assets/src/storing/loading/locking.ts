import type { Tables } from '@lockstep/platform';
import { type SelectQueryBuilder, sql } from 'kysely';

type Found = readonly { id: string }[];

/**
 * Returns what `round` found when it had locked all of it. `round` locks assets and then, in a later statement, reads
 * which there are. If a transaction that the lock waited for has added some, the next round locks these, too. So no
 * transaction decides on half of another (rules 6.2 Isolated).
 */
export async function lockAll<Round extends { locked: Found; found: Found }>(
  round: () => Promise<Round>,
): Promise<Round> {
  for (;;) {
    const result = await round();
    const ids = new Set(result.locked.map(({ id }) => id));
    if (result.found.every(({ id }) => ids.has(id))) return result;
  }
}

/** Locks the assets that a query finds, in the order of their numbers as drains do. Returns them as they are now. */
export async function lockFound<From extends keyof Tables, Row extends { id: string }>(
  query: SelectQueryBuilder<Tables, From, Row>,
): Promise<Row[]> {
  const sorted = query.orderBy(sql`asset.asset_num`);
  const { found } = await lockAll(async () => ({
    locked: await sorted.modifyEnd(sql`for update of asset`).execute(),
    found: await sorted.execute(),
  }));
  return found;
}

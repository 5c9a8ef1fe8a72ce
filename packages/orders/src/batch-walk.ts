import type { BatchId } from '@lockstep/contract';
import { prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { type BatchFilters, isOfChannel, isOfSenderInPeriod, type Viewer } from './list-filters.ts';

/** A place in the order of acceptance. The time is PostgreSQL's text of it, which keeps the microseconds. */
export interface BatchPlace {
  acceptedTime: string;
  batchId: BatchId;
}

/** Which batches to walk through. Each kind has an index of its own. */
export type BatchKind = 'all' | 'open' | 'failed';

/** A walk through the batches that somebody may see, newest first. */
export interface BatchWalk {
  viewer: Viewer;
  filters: BatchFilters;
  kinds: readonly BatchKind[];
  /** Where to begin: at this batch and older ones. Null: at the newest. */
  from: BatchPlace | null;
  /** How many batches to look at, at most. */
  maxBatches: number;
}

/** Conditions on `batch`: it is of a kind. */
export const KINDS: Record<BatchKind, RawBuilder<unknown>> = {
  all: sql`true`,
  open: sql`batch.completed_time is null`,
  failed: sql`batch.failed > 0`,
};

/**
 * For a FROM clause: the batches of a walk, as `batch`. What an index can leave out counts for nothing; the channel may
 * have to be looked at row by row, so that a WHERE clause outside needs `isOfChannel`.
 */
export function walkBatches({ viewer, filters, kinds, from, maxBatches }: BatchWalk): RawBuilder<unknown> {
  const behind =
    from === null
      ? sql``
      : sql`and (batch.accepted_time, batch.id) <= (${from.acceptedTime}::timestamptz, ${from.batchId}::bigint)`;
  const walks = kinds.map((kind) => {
    const ofChannel = kind === 'all' && filters.channelCode !== undefined ? isOfChannel(viewer, filters) : sql`true`;
    return sql`(
      select batch.* from batch
      where ${isOfSenderInPeriod(viewer, filters)} and ${KINDS[kind]} and ${ofChannel} ${behind}
      order by batch.accepted_time desc, batch.id desc limit ${maxBatches}
    )`;
  });
  if (walks.length === 1) return sql`${walks[0]} as batch`;
  return sql`(
    select * from (${sql.join(walks, sql` union all `)}) as batch
    order by accepted_time desc, id desc limit ${maxBatches}
  ) as batch`;
}

/**
 * Returns the last batch of a walk that stopped before the end, because it had looked at enough; null if it did not.
 */
export async function findWalkStop(trx: Trx, walk: BatchWalk): Promise<BatchPlace | null> {
  const rows = await prepared<BatchPlace>(trx, 'batch_walk_floor')`
    select accepted_time::text as "acceptedTime", id as "batchId" from ${walkBatches(walk)}
    order by accepted_time desc, id desc offset ${walk.maxBatches - 1} limit 1`;
  return rows[0] ?? null;
}

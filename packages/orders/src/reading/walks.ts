import type { ApplicationId, BatchId, ListBatchesQuery } from '@lockstep/contract';
import { prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { type BatchFilters, inPeriod, isOfChannel, isOfSenderInPeriod, type Viewer } from './viewer.ts';

/** A position in the order of acceptance. The time is in PostgreSQL's text format, which keeps microseconds. */
export interface BatchPlace {
  acceptedTime: string;
  batchId: BatchId;
}

/** Which batches to walk. Each kind has its own index. */
type BatchKind = 'all' | 'open' | 'failed';

export interface BatchWalk {
  viewer: Viewer;
  filters: BatchFilters;
  kinds: readonly BatchKind[];
  /** Where to start: at this batch and older ones. Null: at the newest. */
  from: BatchPlace | null;
  maxBatches: number;
}

const KINDS: Record<BatchKind, RawBuilder<unknown>> = {
  all: sql`true`,
  open: sql`batch.completed_time is null`,
  failed: sql`batch.failed > 0`,
};

/**
 * For a FROM clause: the batches of a walk, as `batch`. Batches left out by an index don't count towards the limit. The
 * channel may need a row-by-row check, so add `isOfChannel` to the WHERE clause.
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

/** Returns the last batch of a walk that reached its limit; null if it reached the end. */
export async function findWalkStop(trx: Trx, walk: BatchWalk): Promise<BatchPlace | null> {
  const rows = await prepared<BatchPlace>(trx, 'batch_walk_floor')`
    select accepted_time::text as "acceptedTime", id as "batchId" from ${walkBatches(walk)}
    order by accepted_time desc, id desc offset ${walk.maxBatches - 1} limit 1`;
  return rows[0] ?? null;
}

/** How many batches one call reads at most, for all applications together, even if few match. */
const MAX_BATCHES = 20_000;
const MAX_BATCHES_OF_ONE = 1_000;

/**
 * The filters of a list. Only operators filter by application, or by channelOrderId: an exact one, or a prefix followed
 * by *.
 */
export type BatchesQuery = ListBatchesQuery & { appKey?: string | undefined; channelOrderId?: string | undefined };

export interface SenderWalk {
  viewer: Viewer;
  applicationIds: readonly ApplicationId[];
  query: BatchesQuery;
  /** Starts after this batch; null: at the newest. */
  after: BatchPlace | null;
}

/**
 * For a WITH clause. `walked`: the newest batches of each application that may match `query`, with id, application_id
 * and accepted_time, each read by its own index. `floor`: one row with the position down to which `walked` is complete;
 * nulls if it is complete to the end.
 */
export function walkSenders({ viewer, applicationIds, query, after }: SenderWalk): RawBuilder<unknown> {
  const behind =
    after === null
      ? sql``
      : sql`and (batch.accepted_time, batch.id) < (${after.acceptedTime}::timestamptz, ${after.batchId}::bigint)`;
  const looked = countLooked(viewer, applicationIds.length, query);
  const named = namedExactly(query);
  const walks =
    named === null
      ? kindsOf(query).map((kind) => walkKind(kind, query, { behind, looked }))
      : [
          sql`(
          select ${NAMED_KIND} as kind, batch.id, batch.accepted_time
          from ${channelsOf(query)} as channel (code) join batch
            on batch.application_id = application.id and batch.channel_code = channel.code
              and batch.channel_order_id = ${named}
          where true ${inPeriod(query)} ${behind}
        )`,
        ];
  return sql`
    walked as materialized (
      select application.id as application_id, found.*
      from unnest(${applicationIds}::bigint[]) as application (id)
      cross join lateral (${sql.join(walks, sql` union all `)}) as found
    ), last as (
      select distinct on (application_id, kind) accepted_time, id
      from (select *, count(*) over (partition by application_id, kind) as looked from walked) as counted
      where looked >= ${looked} and kind <> ${NAMED_KIND} order by application_id, kind, accepted_time, id
    ), floor as (
      select newest.* from (select) as here
      left join (select accepted_time, id from last order by accepted_time desc, id desc limit 1) as newest on true
    )`;
}

const NAMED_KIND = sql`'named'`;

function walkKind(
  kind: BatchKind,
  query: BatchesQuery,
  { behind, looked }: { behind: RawBuilder<unknown>; looked: number },
): RawBuilder<unknown> {
  const { channelCode } = query;
  // The indexes of the other kinds don't contain the channel; it is checked row by row.
  const ofChannel = kind === 'all' && channelCode !== undefined ? sql`and batch.channel_code = ${channelCode}` : sql``;
  return sql`(
    select ${kind}::text as kind, batch.id, batch.accepted_time from batch
    where batch.application_id = application.id and ${KINDS[kind]} ${inPeriod(query)} ${ofChannel} ${behind}
    order by batch.accepted_time desc, batch.id desc limit ${looked}
  )`;
}

/** Returns how many batches to read for each application: a page if every batch read matches, otherwise more. */
function countLooked({ channels }: Viewer, applications: number, query: BatchesQuery): number {
  const { state, hasFailed, channelCode, channelOrderId, limit } = query;
  const isExact =
    channelOrderId === undefined &&
    (state === undefined || (state === 'completed' && hasFailed !== undefined)) &&
    (hasFailed === undefined || state === 'completed') &&
    (channelCode === undefined ? channels === null : hasFailed === undefined);
  if (isExact) return limit + 1;
  const share = Math.floor(MAX_BATCHES / Math.max(1, applications));
  return Math.max(limit + 1, Math.min(MAX_BATCHES_OF_ONE, share));
}

function kindsOf({ state, hasFailed }: BatchesQuery): BatchKind[] {
  if (state === 'accepted' || state === 'processing') return ['open'];
  if (hasFailed === undefined) return ['all'];
  return state === 'completed' ? ['failed'] : ['failed', 'open'];
}

/** Returns the exact channelOrderId that a query asks for; null if it asks for none or a prefix. */
export function namedExactly({ channelOrderId }: BatchesQuery): string | null {
  return channelOrderId === undefined || channelOrderId.endsWith('*') ? null : channelOrderId;
}

/**
 * For a FROM clause after `application`: the channel asked for, or all channels of the application's batches. It skips
 * from channel to channel in the index, however many batches each has.
 */
function channelsOf({ channelCode }: BatchesQuery): RawBuilder<unknown> {
  if (channelCode !== undefined) return sql`(select ${channelCode}::text)`;
  const next = (after: RawBuilder<unknown>) => sql`(
    select channel_code from batch where batch.application_id = application.id ${after}
    order by application_id, channel_code limit 1
  )`;
  return sql`lateral (
    with recursive sent (code) as (
      ${next(sql``)} union all select ${next(sql`and channel_code > sent.code`)} from sent where sent.code is not null
    )
    select code from sent where code is not null
  )`;
}

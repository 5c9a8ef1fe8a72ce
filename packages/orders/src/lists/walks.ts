import type { ApplicationId, BatchId, ListBatchesQuery } from '@lockstep/contract';
import { prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { type BatchFilters, inPeriod, isOfChannel, isOfSenderInPeriod, type Viewer } from './filters.ts';

/** A place in the order of acceptance. The time is PostgreSQL's text of it, which keeps the microseconds. */
export interface BatchPlace {
  acceptedTime: string;
  batchId: BatchId;
}

/** Which batches to walk through. Each kind has an index of its own. */
type BatchKind = 'all' | 'open' | 'failed';

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
const KINDS: Record<BatchKind, RawBuilder<unknown>> = {
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

/** Batches that one call looks at, at most, however few of them it shows: those of all applications together. */
const MAX_BATCHES = 20_000;
/** The same of one application. */
const MAX_BATCHES_OF_ONE = 1_000;

/** What is asked for. Only operators name an application, or the channelOrderId: exactly, or with a * how it begins. */
export type BatchesQuery = ListBatchesQuery & { appKey?: string | undefined; channelOrderId?: string | undefined };

/** A walk through the batches of some applications, newest first. */
export interface SenderWalk {
  viewer: Viewer;
  applicationIds: readonly ApplicationId[];
  query: BatchesQuery;
  /** Batches behind this one; null: from the newest. */
  after: BatchPlace | null;
}

/**
 * For a WITH clause. `walked`: the newest batches of each application, of which `query` may want some, with id,
 * application_id and accepted_time; each application has an index for that. `floor`: one row with the place down to
 * which these are all there are; nulls if there are no others at all.
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
  // The other kinds have no index by channel: theirs is looked at row by row.
  const ofChannel = kind === 'all' && channelCode !== undefined ? sql`and batch.channel_code = ${channelCode}` : sql``;
  return sql`(
    select ${kind}::text as kind, batch.id, batch.accepted_time from batch
    where batch.application_id = application.id and ${KINDS[kind]} ${inPeriod(query)} ${ofChannel} ${behind}
    order by batch.accepted_time desc, batch.id desc limit ${looked}
  )`;
}

/**
 * How many batches of each application to look at: no more than the page shows, unless some of them may not be wanted.
 */
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

/** The batches among which those are that a query asks for. */
function kindsOf({ state, hasFailed }: BatchesQuery): BatchKind[] {
  if (state === 'accepted' || state === 'processing') return ['open'];
  if (hasFailed === undefined) return ['all'];
  return state === 'completed' ? ['failed'] : ['failed', 'open'];
}

/** The whole channelOrderId that a query names; null if it names none, or a beginning. */
export function namedExactly({ channelOrderId }: BatchesQuery): string | null {
  return channelOrderId === undefined || channelOrderId.endsWith('*') ? null : channelOrderId;
}

/**
 * For a FROM clause behind `application`: the channel that is asked for, or all of which the application has sent
 * batches. It goes from channel to channel in the index, however many batches each has.
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

import type { ApplicationId, BatchId, Viewer } from '@lockstep/contract';
import { type RawBuilder, sql } from 'kysely';
import { andIs, type BatchFilters, inPeriod } from './viewer.ts';

/** How many batches one call reads at most, for all applications together, even if few match. */
const MAX_BATCHES = 20_000;
const MAX_BATCHES_OF_ONE = 1_000;

/** Which batches to walk. Each kind has its own index. */
export type BatchKind = 'all' | 'open' | 'failed';

const KINDS: Record<BatchKind, RawBuilder<unknown>> = {
  all: sql`true`,
  open: sql`batch.completed_time is null`,
  failed: sql`batch.failed > 0`,
};

export interface BatchWalk {
  viewer: Viewer;
  senders: readonly ApplicationId[];
  filters: BatchFilters;
  kinds: readonly BatchKind[];
  /** An exact channelOrderId, which has its own index; null: any. */
  named: string | null;
  /** Starts after this position: when a batch was accepted, in microseconds, and its id. Null: at the first. */
  after: readonly [time: string, batchId: BatchId] | null;
  /** Whether all batches of these kinds match, except for their channel: then a walk is no longer than a page. */
  isExact: boolean;
  /** Whether it walks from the oldest batch on. Default: from the newest. */
  isOldestFirst?: boolean;
  limit: number;
}

/** A position in the order of acceptance: microseconds since 1970, and the id of a batch or order. */
export interface Place<Id> {
  time: string;
  id: Id;
}

/** SQL: a time in microseconds since 1970. */
export const microsecondsOf = (time: string) => sql.raw(`(extract(epoch from ${time}) * 1000000)::bigint`);

/** SQL: the order of a walk. */
export const inOrder = (time: string, id: string, { isOldestFirst = false }: Pick<BatchWalk, 'isOldestFirst'>) =>
  sql.raw(isOldestFirst ? `${time}, ${id}` : `${time} desc, ${id} desc`);

/**
 * For a WITH clause. `walked`: the first batches of each sender, each kind read by its own index. `floor`: the
 * position down to which they are complete; no row if they are complete to the end. `reached`: the batches down to the
 * floor, with id and accepted_time, in order. The channel may need a row-by-row check, so add `isOfChannel` to the
 * WHERE clause.
 */
export function walkBatches(walk: BatchWalk): RawBuilder<unknown> {
  const { senders, filters, kinds, named, after } = walk;
  const beyond = sql.raw(walk.isOldestFirst ? '>' : '<');
  const order = inOrder('accepted_time', 'id', walk);
  const behind =
    after === null
      ? sql``
      : sql`and (batch.accepted_time, batch.id) ${beyond}
          (timestamptz 'epoch' + ${after[0]}::bigint * interval '1 microsecond', ${after[1]}::bigint)`;
  const asked = sql`${inPeriod(filters)} ${behind}`;
  const most = countWalked(walk);
  const walks = kinds.map(
    (kind) => sql`(
      select ${kind}::text as kind, batch.id, batch.accepted_time from batch
      where batch.application_id = application.id and ${KINDS[kind]} ${asked}
        ${hasChannel(kind) ? andIs('batch.channel_code', filters.channelCode) : sql``}
      order by ${inOrder('batch.accepted_time', 'batch.id', walk)} limit ${most}
    )`,
  );
  const ofName = sql`
    select 'named' as kind, batch.id, batch.accepted_time
    from ${channelsOf(filters)} as channel (code) join batch
      on batch.application_id = application.id and batch.channel_code = channel.code
        and batch.channel_order_id = ${named}
    where true ${asked}`;
  return sql`
    walked as materialized (
      select application.id as application_id, found.* from unnest(${senders}::bigint[]) as application (id)
      cross join lateral (${named === null ? sql.join(walks, sql` union all `) : ofName}) as found
    ), floor as (
      select accepted_time, id from (
        select *, row_number() over (partition by application_id, kind order by ${order}) as place
        from walked
      ) as counted
      where kind <> 'named' and place = ${most} order by ${order} limit 1
    ), reached as (
      select id, accepted_time from walked where not exists (
        select from floor where (walked.accepted_time, walked.id) ${beyond} (floor.accepted_time, floor.id)
      ) order by ${order}
    )`;
}

/** The indexes of the other kinds don't contain the channel. */
const hasChannel = (kind: BatchKind) => kind === 'all';

/** Returns how many batches to walk of each sender and kind. */
function countWalked({ viewer, senders, filters, kinds, isExact, limit }: BatchWalk): number {
  const isOfOneChannel = filters.channelCode !== undefined && kinds.every(hasChannel);
  const isOfAnyChannel = filters.channelCode === undefined && viewer.channels === null;
  // The first batch may have no further order.
  if (isExact && (isOfOneChannel || isOfAnyChannel)) return limit + 2;
  const share = Math.floor(MAX_BATCHES / Math.max(1, senders.length));
  return Math.max(limit + 2, Math.min(MAX_BATCHES_OF_ONE, share));
}

/**
 * For a FROM clause after `application`: the channel asked for, or all channels of the application's batches. It skips
 * from channel to channel in the index, however many batches each has.
 */
function channelsOf({ channelCode }: BatchFilters): RawBuilder<unknown> {
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

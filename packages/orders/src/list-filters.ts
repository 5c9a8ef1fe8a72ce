import type { ApplicationId, Channels, ListBatchesQuery } from '@lockstep/contract';
import { type RawBuilder, sql } from 'kysely';

/** Who asks for a list: an application, and the channels that it is bound to. It sees its own batches of these. */
export interface ListCaller {
  applicationId: ApplicationId;
  channels: Channels;
}

/** What the lists have in common: filters by the batch. */
export type BatchFilters = Pick<ListBatchesQuery, 'channelCode' | 'acceptedFrom' | 'acceptedTo'>;

/** Conditions on `batch`: it is the caller's, and was accepted in the period, whose ends belong to it. */
export function isCallersInPeriod(caller: ListCaller, filters: BatchFilters): RawBuilder<unknown> {
  return sql`batch.application_id = ${caller.applicationId} ${inPeriod(filters)}`;
}

/** More conditions on `batch`, or none: it was accepted in the period, whose ends belong to it. */
export function inPeriod({ acceptedFrom, acceptedTo }: BatchFilters): RawBuilder<unknown> {
  // Rows have microseconds, of which answers show whole milliseconds.
  const from = acceptedFrom === undefined ? sql`` : sql`and batch.accepted_time >= ${timeOf(acceptedFrom)}`;
  const to = acceptedTo === undefined ? sql`` : sql`and batch.accepted_time < ${timeOf(acceptedTo + 1)}`;
  return sql`${from} ${to}`;
}

const timeOf = (milliseconds: number) => sql`to_timestamp(${milliseconds}::bigint / 1000.0)`;

/** Conditions on `batch`: it is of the channel asked for, and of one that the caller is bound to (rules 2). */
export function isOfChannel({ channels }: ListCaller, { channelCode }: BatchFilters): RawBuilder<unknown> {
  if (channelCode !== undefined) return sql`batch.channel_code = ${channelCode}`;
  return channels === null ? sql`true` : sql`batch.channel_code = any (${[...channels]}::text[])`;
}

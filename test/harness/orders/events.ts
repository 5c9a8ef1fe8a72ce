import { type BatchEnd, EventPage, FeedEvent } from '@lockstep/contract';
import { numberEvents, searchExpiries } from '@lockstep/orders/testing';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Api, dataOf, readPages } from '../api.ts';

const strictEvents = FeedEvent.options.map(({ shape }) => z.strictObject({ ...shape, data: shape.data.strict() }));
/** A page of the feed that must match the contract in strict form. */
export const strictEventPage = z.strictObject({ ...EventPage.shape, events: z.array(z.union(strictEvents)) });

/** Reads all events of an application after the id `after`, page by page. */
export async function readFeed(api: Api, after = ''): Promise<FeedEvent[]> {
  const pages = await readPages(async (cursor) => {
    const answer = await api.call('GET', '/events', { query: { after: cursor || after, limit: '100' } });
    const page = strictEventPage.parse(dataOf(answer));
    return { ...page, nextCursor: page.hasMore ? page.lastId : null };
  });
  return pages.flatMap(({ events }) => events) as FeedEvent[];
}

/** The day of the searches for endings, since 1970-01-01 UTC, by the database's clock (rules 6.8 Endings). */
export const TODAY = sql<number>`(extract(epoch from statement_timestamp() - interval '5 minutes')::bigint / 86400)::integer`;

/** Takes all steps of the searches for endings that are due, as a worker does in the course of a day. */
export async function searchAll(db: Database, lastDay = Infinity): Promise<void> {
  const due = sql`select from expiry_search where day <= ${TODAY} + lead_days and day <= ${lastDay}::float8`;
  do await searchExpiries(db);
  while ((await due.execute(db)).rows.length > 0);
}

/** Returns what an event of a batch says. Throws if it is about something else. */
export function batchOfEvent({ type, data }: FeedEvent): BatchEnd {
  if ('channelOrderId' in data) return data;
  throw new Error(`${type} is no event of a batch`);
}

/** Numbers the events of all that was answered, as workers do at the same time. */
export async function numberAll(db: Database): Promise<void> {
  const last = await sql<{ id: string }>`select coalesce(max(id), 0) as id from unnumbered_event`.execute(db);
  const left = sql`select from unnumbered_event where id <= ${last.rows[0]!.id}`;
  do await numberEvents(db);
  while ((await left.execute(db)).rows.length > 0);
}

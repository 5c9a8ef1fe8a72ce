import {
  type ApplicationCaller,
  buildMessage,
  type Cause,
  faultAt,
  type ListRefusalsQuery,
  type Operator,
  type RefusalPage,
  type RefusedCall,
} from '@lockstep/contract';
import { type Database, inMs, inSnapshot, isId, ListCursor, readWalkIn } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type {} from './tables.ts';

/** A refused call, with the application that called. */
type CallOfApplication = RefusedCall & { appKey: string; applicationName: string };
type Row = Omit<CallOfApplication, 'message' | 'faults'> & {
  faults: [Cause, ...string[]][];
  micros: string;
  id: string;
};

const MICROSECONDS = /^\d{1,17}$/;

/** Returns a page of an application's own refused calls (rules 1.3). Throws a WrongCursor. */
export async function listRefusals(
  db: Database,
  { applicationId }: Pick<ApplicationCaller, 'applicationId'>,
  query: ListRefusalsQuery,
): Promise<RefusalPage> {
  const page = await readRefusals(db, { applicationId }, query);
  return { ...page, refusals: page.refusals.map(({ appKey: _, applicationName: __, ...call }) => call) };
}

/**
 * Returns a page of the refused calls of an application, or of those that an operator sees, newest first, and on the
 * first page how many there were by cause (rules 1.3). Only operators ask by `appKey`. Throws a WrongCursor.
 */
export async function readRefusals(
  db: Database,
  viewer: Pick<ApplicationCaller, 'applicationId'> | Operator,
  query: Partial<ListRefusalsQuery> & { limit: number; appKey?: string | undefined },
): Promise<Omit<RefusalPage, 'refusals'> & { refusals: CallOfApplication[] }> {
  const { refusedFrom, refusedTo, appKey, cause, operation, requestId, limit, cursor } = query;
  const filters = [refusedFrom, refusedTo, appKey, cause, operation, requestId];
  const isPlace = [(text: string) => MICROSECONDS.test(text), isId];
  const cursors = new ListCursor(['refusals', viewer.applicationId, filters], cursor, isPlace);
  const [micros, id] = cursors.after ?? [];
  const own = allOf(
    viewer.applicationId && sql`application_id = ${viewer.applicationId}`,
    appKey && sql`application_id = (select id from application where app_key = ${appKey})`,
  );
  const channels = viewer.applicationId === null ? viewer.channels : null;
  const seen = channels && sql`application_id in (select id from application where channels <@ ${channels}::text[])`;
  const walked = allOf(
    own,
    requestId && sql`request_id = ${requestId}`,
    refusedFrom && sql`time >= ${timeOf(refusedFrom)}`,
    refusedTo && sql`time < ${timeOf(refusedTo + 1)}`,
    micros && sql`(time, id) < (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::bigint)`,
  );
  const wanted = allOf(seen, cause && sql`cause = ${cause}`, operation && sql`operation = ${operation}`);
  return await inSnapshot(db, async (trx) => {
    const to = refusedTo ? timeOf(refusedTo) : sql`statement_timestamp()`;
    const from = refusedFrom ? timeOf(refusedFrom) : sql`${to} - interval '1 hour'`;
    const isCounted = micros === undefined && requestId === undefined;
    const counts = await sql<{ cause: string; count: number }>`
      select cause, sum(count)::float8 as count from refusal_count
      where ${isCounted} and ${allOf(own, seen)} and minute >= date_trunc('minute', ${from}) and minute <= ${to}
      group by cause order by count desc, cause`.execute(trx);
    const { page, last } = await readWalkIn<Row>(trx, {
      walk: sql`select * from refused_call where ${walked} order by time desc, id desc`,
      wanted: seen || cause || operation ? wanted : null,
      as: 'refused',
      columns: COLUMNS,
      joins: sql`join application on application.id = refused.application_id`,
      limit,
    });
    return {
      refusals: page.map(show),
      nextCursor: cursors.write(last === undefined ? null : [last.micros, last.id]),
      counts: Object.fromEntries(counts.rows.map((each) => [each.cause, each.count])),
    };
  });
}

const COLUMNS = sql`refused.id, (extract(epoch from refused.time) * 1000000)::bigint::text as micros,
  ${inMs('refused.time')} as time, operation, code, cause, args, faults, request_id as "requestId",
  channel_order_id as "channelOrderId", asset_nums as "assetNums", size, app_key as "appKey",
  application.name as "applicationName"`;

function show({ micros: _, id: __, faults, ...call }: Row): CallOfApplication {
  const faultOf = ([cause, path = '', ...values]: Row['faults'][number]) => {
    const fault = faultAt(path, cause, ...values);
    return { ...fault, args: [...fault.args] };
  };
  return { ...call, message: buildMessage(call.cause, ...call.args), faults: faults.map(faultOf) };
}

const timeOf = (timeMs: number) => sql`to_timestamp(${timeMs}::bigint / 1000.0)`;

/** SQL: all of these conditions that are given. */
const allOf = (...all: readonly (RawBuilder<unknown> | '' | 0 | null | undefined)[]) =>
  sql.join([sql`true`, ...all.filter((each) => each)], sql` and `);

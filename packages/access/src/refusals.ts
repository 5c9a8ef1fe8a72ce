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
import { type Database, inMs, inSnapshot, isId, ListCursor, readWalkIn, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type {} from './tables.ts';

/** Who looks: the application that called, or an operator, who sees the calls of the applications that they see. */
type RefusalViewer = Pick<ApplicationCaller, 'applicationId'> | Operator;

/** A refused call, with the application that called. */
type CallOfApplication = RefusedCall & { appKey: string; applicationName: string };

type Row = Omit<CallOfApplication, 'message' | 'faults'> & {
  faults: [Cause, ...string[]][];
  micros: string;
  id: string;
};

const HOUR_MS = 3_600_000;
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
 * Returns a page of the refused calls that a viewer sees, newest first, and on the first page how many there were by
 * cause (rules 1.3). Only operators ask by `appKey`. Throws a WrongCursor.
 */
export async function readRefusals(
  db: Database,
  viewer: RefusalViewer,
  query: Partial<ListRefusalsQuery> & { limit: number; appKey?: string | undefined },
): Promise<Omit<RefusalPage, 'refusals'> & { refusals: CallOfApplication[] }> {
  const { refusedFrom, refusedTo, appKey, cause, operation, requestId, limit, cursor } = query;
  const filters = { refusedFrom, refusedTo, appKey, cause, operation, requestId };
  const isPlace = [(text: string) => MICROSECONDS.test(text), isId];
  const cursors = new ListCursor(['refusals', viewer.applicationId, filters], cursor, isPlace);
  const { after } = cursors;
  const own = conditions(
    viewer.applicationId !== null && sql`application_id = ${viewer.applicationId}`,
    appKey !== undefined && sql`application_id = (select id from application where app_key = ${appKey})`,
  );
  const ofViewer =
    viewer.applicationId === null &&
    viewer.channels !== null &&
    sql`application_id in (select id from application where channels <@ ${viewer.channels}::text[])`;
  const walked = conditions(
    own,
    requestId !== undefined && sql`request_id = ${requestId}`,
    refusedFrom !== undefined && sql`time >= ${timeOf(refusedFrom)}`,
    refusedTo !== undefined && sql`time < ${timeOf(refusedTo + 1)}`,
    after !== null &&
      sql`(time, id) < (timestamptz 'epoch' + ${after[0]}::bigint * interval '1 microsecond', ${after[1]}::bigint)`,
  );
  const wanted = [
    ofViewer,
    cause !== undefined && sql`cause = ${cause}`,
    operation !== undefined && sql`operation = ${operation}`,
  ];
  return await inSnapshot(db, async (trx) => {
    const counts =
      after === null && requestId === undefined ? await countCauses(trx, conditions(own, ofViewer), filters) : {};
    const { page, last } = await readWalkIn<Row>(trx, {
      walk: sql`select * from refused_call where ${walked} order by time desc, id desc`,
      wanted: wanted.some((each) => each !== false) ? conditions(...wanted) : null,
      as: 'refused',
      columns: COLUMNS,
      joins: sql`join application on application.id = refused.application_id`,
      limit,
    });
    const nextCursor = cursors.write(last === undefined ? null : [last.micros, last.id]);
    return { refusals: page.map(show), nextCursor, counts };
  });
}

/** Counts the refused calls of a period by cause, the most frequent first. */
async function countCauses(
  trx: Trx,
  seen: RawBuilder<unknown>,
  { refusedFrom, refusedTo }: Pick<ListRefusalsQuery, 'refusedFrom' | 'refusedTo'>,
): Promise<RefusalPage['counts']> {
  const to = refusedTo === undefined ? sql`statement_timestamp()` : timeOf(refusedTo);
  const from = refusedFrom === undefined ? sql`${to} - make_interval(secs => ${HOUR_MS / 1_000})` : timeOf(refusedFrom);
  const { rows } = await sql<{ cause: string; count: number }>`
    select cause, sum(count)::float8 as count from refusal_count
    where ${seen} and minute >= date_trunc('minute', ${from}) and minute <= ${to}
    group by cause order by count desc, cause`.execute(trx);
  return Object.fromEntries(rows.map(({ cause, count }) => [cause, count]));
}

const COLUMNS = sql`refused.id, (extract(epoch from refused.time) * 1000000)::bigint::text as micros,
  ${inMs('refused.time')} as time, operation, code, cause, args, faults, request_id as "requestId",
  channel_order_id as "channelOrderId", asset_nums as "assetNums", size::float8 as size, app_key as "appKey",
  application.name as "applicationName"`;

function show({ micros: _, id: __, faults, ...call }: Row): CallOfApplication {
  return {
    ...call,
    message: buildMessage(call.cause, ...call.args),
    faults: faults.map(([cause, path = '', ...values]) => {
      const fault = faultAt(path, cause, ...values);
      return { ...fault, args: [...fault.args] };
    }),
  };
}

const timeOf = (timeMs: number) => sql`to_timestamp(${timeMs}::bigint / 1000.0)`;

/** SQL: all of these conditions, without those that are false. */
const conditions = (...all: readonly (RawBuilder<unknown> | false)[]) =>
  sql.join([sql`true`, ...all.filter((each) => each !== false)], sql` and `);

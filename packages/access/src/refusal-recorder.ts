import { type ApplicationId, cut, type FailureBody, MAX_KEPT_FAULTS } from '@lockstep/contract';
import { type Database, isTransient, type Logger, run } from '@lockstep/platform';

/** A refused call: what it named, and what its answer said. */
interface Refused {
  applicationId: ApplicationId;
  operation: string;
  answer: Pick<FailureBody, 'code' | 'cause' | 'args' | 'faults'>;
  requestId: string;
  channelOrderId: string | null;
  assetNums: readonly string[];
  size: number;
}

/** Calls that count together. `at`: when the first was refused, by the clock of `performance`. */
type Count = Pick<Refused, 'applicationId' | 'operation'> & { cause: string; count: number; at: number };
type Detail = ReturnType<typeof shorten> & { at: number };

/** How long refusals wait for others, so that one statement stores them. */
const WAIT_MS = 1_000;
const MINUTE_MS = 60_000;
/** The most details of an application and cause that a process stores in a minute. All calls are counted. */
const MAX_DETAILS_OF_MINUTE = 100;
/** The most details, and the most counts, that wait while PostgreSQL is away. */
const MAX_WAITING = 1_000;
/** How many details of an application are stored (rules 1.3). */
const MAX_OF_APPLICATION = 10_000;
const MAX_CHARACTERS = 300;

/** Stores refused calls (rules 1.3) after their answers, about once a second. If there are too many, it only counts. */
export class RefusalRecorder {
  readonly #tools: { db: Database; log: Logger };
  #details: Detail[] = [];
  #counts = new Map<string, Count>();
  /** How many details of each application and cause this process has had since the minute began. */
  readonly #ofMinute = new Map<string, number>();
  #minute = 0;
  #timer: NodeJS.Timeout | undefined;
  #storing = Promise.resolve();
  #isFailing = false;

  constructor(tools: { db: Database; log: Logger }) {
    this.#tools = tools;
  }

  record(refused: Refused): void {
    const { applicationId, operation } = refused;
    const { cause } = refused.answer;
    const at = performance.now();
    this.#count({ applicationId, operation, cause, count: 1, at });
    if (this.#minute !== minuteOf(at)) this.#ofMinute.clear();
    this.#minute = minuteOf(at);
    const key = `${applicationId} ${cause}`;
    const before = this.#ofMinute.get(key) ?? 0;
    this.#ofMinute.set(key, before + 1);
    if (before < MAX_DETAILS_OF_MINUTE) this.#details.push({ ...shorten(refused), at });
    this.#details = keepFairly(this.#details);
    this.#timer ??= setTimeout(() => void this.#store(), WAIT_MS).unref();
  }

  /** Stores what waits. */
  async close(): Promise<void> {
    await this.#storing;
    clearTimeout(this.#timer);
    await this.#store();
    clearTimeout(this.#timer);
  }

  /** Adds to a count of the same minute, unless too many wait. */
  #count(counted: Count): void {
    const { applicationId, operation, cause, count, at } = counted;
    const key = `${applicationId} ${operation} ${cause} ${minuteOf(at)}`;
    const same = this.#counts.get(key);
    if (same !== undefined) same.count += count;
    else if (this.#counts.size < MAX_WAITING) this.#counts.set(key, counted);
  }

  async #store(): Promise<void> {
    if (this.#counts.size > 0) this.#storing = this.#write(this.#details, [...this.#counts.values()]);
    await this.#storing;
    this.#timer = this.#counts.size > 0 ? setTimeout(() => void this.#store(), WAIT_MS).unref() : undefined;
  }

  async #write(details: Detail[], counts: Count[]): Promise<void> {
    this.#details = [];
    this.#counts = new Map();
    try {
      const values = [toJson(details), toJson(counts)];
      await run(this.#tools.db, { name: 'store_refusals', text: STORE_REFUSALS, values });
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#tools.log.warn({ err: error }, 'refused calls not stored');
      this.#isFailing = true;
      // Values that PostgreSQL refuses would fail again.
      if (!isTransient(error)) return;
      this.#details = keepFairly([...details, ...this.#details]);
      for (const count of counts) this.#count(count);
    }
  }
}

const minuteOf = (at: number) => Math.floor(at / MINUTE_MS);

/** Returns the newest details, at most MAX_WAITING. Those dropped are of the applications that have most. */
function keepFairly(details: Detail[]): Detail[] {
  if (details.length <= MAX_WAITING) return details;
  const ofEach = Map.groupBy(details.toReversed(), ({ applicationId }) => applicationId);
  const inTurn = [...ofEach.values()].flatMap((of) => of.map((detail, nth) => ({ detail, nth })));
  const kept = inTurn.toSorted((one, other) => one.nth - other.nth).slice(0, MAX_WAITING);
  return kept.map(({ detail }) => detail).toSorted((one, other) => one.at - other.at);
}

/** Returns what is stored of a refused call: the first of its faults, and the beginnings of values. */
function shorten({ answer, channelOrderId, ...call }: Refused) {
  const cutAll = (texts: readonly string[]) => texts.map((text) => cut(text, MAX_CHARACTERS));
  const [batch = null] = cutAll(channelOrderId === null ? [] : [channelOrderId]);
  const { code, cause, args = [], faults = [] } = answer;
  const first = faults.slice(0, MAX_KEPT_FAULTS).map((fault) => [fault.cause, ...cutAll(fault.args)]);
  return { ...call, channelOrderId: batch, code, cause, args: cutAll(args), faults: first };
}

/** Returns JSON of entries with their age. PostgreSQL refuses U+0000 and lone surrogates, which a client may send. */
function toJson(entries: readonly (Detail | Count)[]): string {
  const now = performance.now();
  return JSON.stringify(entries, (name, value: unknown) => {
    if (name === 'at') return (now - (value as number)) / 1_000;
    return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
  });
}

const TIME = 'statement_timestamp() - make_interval(secs => at)';

/**
 * Stores details and counts, and deletes the oldest details of applications with a first cause in a minute. The commit
 * does not wait for the disk, so that it takes nothing from the commits of accepted calls. Counts are in order, so that
 * two processes cannot wait for each other.
 */
const STORE_REFUSALS = `
  with detail as (
    insert into refused_call
      (application_id, time, operation, code, cause, args, faults, request_id, channel_order_id, asset_nums, size)
    select "applicationId", ${TIME}, operation, code, cause, args, faults, "requestId", "channelOrderId", "assetNums", size
    from json_to_recordset($1::json) as detail ("applicationId" bigint, at float8, operation text, code text, cause text,
      args text[], faults jsonb, "requestId" text, "channelOrderId" text, "assetNums" text[], size integer)
  ), counted as (
    insert into refusal_count (application_id, minute, operation, cause, count)
    select "applicationId", date_trunc('minute', ${TIME}) as minute, operation, cause, sum(count)::bigint
    from json_to_recordset($2::json)
      as counted ("applicationId" bigint, at float8, operation text, cause text, count bigint)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (application_id, minute, operation, cause) do update set count = refusal_count.count + excluded.count
    returning application_id, xmax = 0 as is_new
  ), trimmed as (
    delete from refused_call where id = any (array(
      select old.id from (select distinct application_id as id from counted where is_new) as application
      cross join lateral (
        select time, id from refused_call where application_id = application.id
        order by time desc, id desc offset ${MAX_OF_APPLICATION - 1} limit 1
      ) as floor
      cross join lateral (
        select id from refused_call
        where application_id = application.id and (time, id) < (floor.time, floor.id) for update skip locked
      ) as old
    ))
  )
  select set_config('synchronous_commit', 'off', true)`;

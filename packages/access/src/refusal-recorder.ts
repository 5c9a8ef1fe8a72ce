import { type ApplicationId, cut, type FailureBody, MAX_KEPT_ASSETS, MAX_KEPT_FAULTS } from '@lockstep/contract';
import { type Database, isTransient, type Logger, run } from '@lockstep/platform';

/** Which calls count together in a minute. */
interface Kind {
  applicationId: ApplicationId;
  operation: string;
  cause: string;
}

/** A refused call: what it named, and what its answer said. */
interface Refused {
  applicationId: ApplicationId;
  operation: string;
  answer: FailureBody;
  requestId: string;
  channelOrderId: string | null;
  assetNums: readonly string[];
  size: number;
}

/** What waits to be stored, and when it happened, by the clock of `performance`. */
type Detail = Omit<Refused, 'answer'> & { code: string; cause: string; args: string[]; faults: string[][]; at: number };
type Count = Kind & { count: number; at: number };

/** How long refusals wait for others, so that one statement stores them. */
const WAIT_MS = 1_000;
const MINUTE_MS = 60_000;
/** The most details of an application and cause that a process stores in a minute. All calls are counted. */
const MAX_DETAILS_OF_MINUTE = 100;
/** The most details and counts that wait while PostgreSQL is away. */
const MAX_WAITING = 1_000;
/** How many details of an application are stored (rules 1.3). */
const MAX_OF_APPLICATION = 10_000;
const MAX_CHARACTERS = 300;

/**
 * Stores refused calls (rules 1.3), after their answers: many in one statement, about once a second. If there are too
 * many, it only counts them.
 */
export class RefusalRecorder {
  readonly #db: Database;
  readonly #log: Logger;
  #details: Detail[] = [];
  #counts = new Map<string, Count>();
  /** How many details of each application and cause this process has had since the minute began. */
  #ofMinute = new Map<string, number>();
  #minuteStart = Number.NEGATIVE_INFINITY;
  /** The applications whose oldest details may have to go. */
  #growing = new Set<ApplicationId>();
  #timer: NodeJS.Timeout | undefined;
  #storing = Promise.resolve();
  #isFailing = false;

  constructor({ db, log }: { db: Database; log: Logger }) {
    this.#db = db;
    this.#log = log;
  }

  /** Takes a refused call. `describe` is called only if its details are stored. */
  record(kind: Kind, describe: () => Omit<Refused, keyof Kind>): void {
    const at = performance.now();
    if (at - this.#minuteStart >= MINUTE_MS) {
      this.#minuteStart = at;
      this.#ofMinute.clear();
    }
    this.#count({ ...kind, count: 1, at });
    const key = `${kind.applicationId} ${kind.cause}`;
    const place = (this.#ofMinute.get(key) ?? 0) + 1;
    this.#ofMinute.set(key, place);
    if (place === 1) this.#growing.add(kind.applicationId);
    if (place <= MAX_DETAILS_OF_MINUTE) this.#keep([{ ...kind, ...shorten(describe()), at }]);
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
  #count({ count, ...counted }: Count): void {
    const { applicationId, operation, cause, at } = counted;
    const key = `${applicationId} ${operation} ${cause} ${Math.floor(at / MINUTE_MS)}`;
    const same = this.#counts.get(key);
    if (same !== undefined) same.count += count;
    else if (this.#counts.size < MAX_WAITING) this.#counts.set(key, { ...counted, count });
  }

  /** Adds details, and drops the oldest beyond the bound. */
  #keep(details: readonly Detail[]): void {
    this.#details.push(...details);
    if (this.#details.length > MAX_WAITING) this.#details.splice(0, this.#details.length - MAX_WAITING);
  }

  async #store(): Promise<void> {
    const [details, counts, growing] = [this.#details, [...this.#counts.values()], [...this.#growing]];
    [this.#details, this.#counts, this.#growing] = [[], new Map(), new Set()];
    this.#storing = counts.length === 0 ? Promise.resolve() : this.#write(details, counts, growing);
    await this.#storing;
    const isMore = this.#counts.size > 0;
    this.#timer = isMore ? setTimeout(() => void this.#store(), WAIT_MS).unref() : undefined;
  }

  async #write(details: Detail[], counts: Count[], growing: ApplicationId[]): Promise<void> {
    try {
      const values = [toJson(details), toJson(counts), growing];
      await run(this.#db, { name: 'store_refusals', text: STORE_REFUSALS, values });
      if (this.#isFailing) this.#log.info('refused calls stored again');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#log.warn({ err: error }, 'refused calls not stored');
      this.#isFailing = true;
      // Values that PostgreSQL refuses would fail again.
      if (!isTransient(error)) return;
      const later = this.#details;
      this.#details = [];
      this.#keep([...details, ...later]);
      for (const count of counts) this.#count(count);
      for (const applicationId of growing) this.#growing.add(applicationId);
    }
  }
}

/** Cuts what is stored of a refused call to the first of its faults, and to a length. */
function shorten({ answer, requestId, channelOrderId, assetNums, size }: Omit<Refused, keyof Kind>) {
  const cutAll = (texts: readonly string[]) => texts.map((text) => cut(text, MAX_CHARACTERS));
  return {
    code: answer.code,
    args: cutAll(answer.args ?? []),
    faults: (answer.faults ?? []).slice(0, MAX_KEPT_FAULTS).map(({ cause, args }) => [cause, ...cutAll(args)]),
    requestId,
    channelOrderId,
    assetNums: assetNums.slice(0, MAX_KEPT_ASSETS),
    size,
  };
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
 * Stores details and counts, and deletes the oldest details of applications beyond their number. The commit does not
 * wait for the disk, so that it takes nothing from the commits of accepted calls. Counts are in order, so that two
 * processes cannot wait for each other.
 */
const STORE_REFUSALS = `
  with detail as (
    insert into refused_call
      (application_id, time, operation, code, cause, args, faults, request_id, channel_order_id, asset_nums, size)
    select "applicationId", ${TIME}, operation, code, cause, args, faults, "requestId", "channelOrderId", "assetNums", size
    from json_to_recordset($1::json) as detail ("applicationId" bigint, at float8, operation text, code text, cause text,
      args text[], faults jsonb, "requestId" text, "channelOrderId" text, "assetNums" text[], size bigint)
  ), counted as (
    insert into refusal_count (application_id, minute, operation, cause, count)
    select "applicationId", date_trunc('minute', ${TIME}) as minute, operation, cause, sum(count)::bigint
    from json_to_recordset($2::json)
      as counted ("applicationId" bigint, at float8, operation text, cause text, count bigint)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (application_id, minute, operation, cause) do update set count = refusal_count.count + excluded.count
  ), trimmed as (
    delete from refused_call where id = any (array(
      select old.id from unnest((select $3::bigint[])) as application (id)
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

import pg from 'pg';
import type { DatabaseHost } from './database-hosts.ts';
import { sessionName } from './session-name.ts';
import type { Server, Sighting } from './writable-host.ts';

/** A host that takes longer is silent. */
const ANSWER_WITHIN_MS = 1_000;
/** The system refuses the connection, so nobody listens there. */
const NOBODY_LISTENS = ['ECONNREFUSED', 'ENOENT'];
/** PostgreSQL starts, stops, or has lost its primary's WAL. */
const STARTS_OR_STOPS = ['57P01', '57P02', '57P03'];

/** Looks at one host, over a connection of its own that it keeps: a new one would cost the server a process each time. */
export class HostProbe {
  readonly #url: string;
  #client: pg.Client | undefined;
  #silentSinceMs: number | undefined;

  constructor(host: DatabaseHost) {
    this.#url = host.url;
  }

  /** Looks now, in two seconds at most. Looks of one probe must not overlap. */
  async look(): Promise<Sighting> {
    const hadConnection = this.#client !== undefined;
    try {
      const client = this.#client ?? (await this.#connect());
      const { rows } = await client.query<Server & { isWritable: boolean }>(LOOK);
      const { isWritable, ...server } = rows[0]!;
      this.#silentSinceMs = undefined;
      return { state: isWritable ? 'writable' : 'standby', server };
    } catch (error) {
      this.close();
      // The connection may be of a server that has gone, and another one may be there.
      return hadConnection && !isTimeout(error) ? await this.look() : this.#explain(error);
    }
  }

  /** Ends the connection; the next look opens another one. */
  close(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.connection.stream.destroy();
  }

  async #connect(): Promise<pg.Client & WithStream> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: sessionName('lockstep-finder'),
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
      keepAlive: true,
    }) as pg.Client & WithStream;
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    }
    this.#client = client;
    return client;
  }

  #explain(error: unknown): Sighting {
    const { code = '', message } = error as { code?: string; message: string };
    const isAway = NOBODY_LISTENS.includes(code) || STARTS_OR_STOPS.includes(code);
    if (isAway || !isNoAnswer(error)) {
      this.#silentSinceMs = undefined;
      if (isAway) return { state: 'away', why: `is away (${code})` };
      return { state: 'closed', why: `answers: ${message.split('\n', 1)[0]}` };
    }
    this.#silentSinceMs ??= performance.now();
    return {
      state: 'silent',
      why: `does not answer (${code || message.split('\n', 1)[0]})`,
      forMs: performance.now() - this.#silentSinceMs,
    };
  }
}

interface WithStream {
  readonly connection: { stream: { destroy(error?: Error): void } };
}

/** The system's codes, but for that of TLS; those of Node.js and OpenSSL have underscores. */
const OF_THE_NETWORK = /^(?!EPROTO$)E(AI_)?[A-Z0-9]+$/;

/** Whether nothing came from the host. A fault of TLS or of logging in is an answer: somebody works there. */
function isNoAnswer(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return false;
  const { code = '', message } = error as { code?: string; message: string };
  return OF_THE_NETWORK.test(code) || isTimeout(error) || /terminated/i.test(message);
}

function isTimeout(error: unknown): boolean {
  return /timeout/i.test((error as Error).message);
}

/**
 * Where a server stands. A primary knows its timeline by the WAL that it writes: the control file says so only after the
 * first checkpoint that follows a promotion.
 */
const LOOK = `
  select not pg_is_in_recovery() and not current_setting('default_transaction_read_only')::boolean as "isWritable",
    case when has_function_privilege('pg_control_system()', 'execute')
      then (select system_identifier::text from pg_control_system()) end as identifier,
    case when pg_is_in_recovery() then 0
      else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer end as timeline,
    pg_postmaster_start_time()::text as "startedTime"`;

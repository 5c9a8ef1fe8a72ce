import type { Duplex } from 'node:stream';
import pg from 'pg';

const READ_ONLY_TRANSACTION = '25006';
/** The source of PostgreSQL's warning that a commit did not wait for its standbys. Its text may be in any language. */
const WAITS_FOR_STANDBYS = 'SyncRepWaitForLSN';
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * After this idle time the system probes ten times, once a second: a connection to a machine that has vanished ends
 * after 20 s.
 */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** The server at the database's address accepts no writes. */
export class ReadOnlyServer extends Error {
  constructor() {
    super('the server is a read-only standby');
    this.name = 'ReadOnlyServer';
  }
}

/** It is unknown whether a commit took place: its answer did not arrive, or standbys may not have it. */
export class OutcomeUnknown extends Error {
  constructor(cause: Error) {
    super(`commit outcome unknown: ${cause.message}`, { cause });
    this.name = 'OutcomeUnknown';
  }
}

/** The parts of pg's client that its types omit. */
interface Wired {
  connectionParameters: { application_name?: string };
  connection: {
    stream: Duplex;
    on(event: 'parameterStatus', listener: (status: { parameterName: string; parameterValue: string }) => void): void;
    on(event: 'errorMessage', listener: (error: { code?: string }) => void): void;
  };
}

/** A connection that knows whether its server accepts writes, and whether commits waited for their standbys. */
export class PrimaryClient extends pg.Client {
  /** Whether the server has reported that it is a standby, or refused a write as read-only. */
  isReadOnly = false;
  /**
   * The error of a commit that did not wait for its synchronous standbys. If someone cancels that wait, PostgreSQL
   * warns and then answers as if the commit had succeeded; this server has it, others may not. So its outcome is
   * unknown, as after a broken connection. The connection is cut, because no later answer would repeat the warning.
   */
  unconfirmed: OutcomeUnknown | undefined;
  /** The texts that it has prepared, by the name of their query. */
  readonly preparedTexts = new Map<string, string[]>();

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    const { connection, connectionParameters } = this as unknown as Wired;
    // The service finds its own sessions by their name, so this name overrides the URL's.
    if (config.application_name !== undefined) connectionParameters.application_name = config.application_name;
    connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'in_hot_standby' && parameterValue === 'on') this.isReadOnly = true;
    });
    connection.on('errorMessage', ({ code }) => {
      if (code === READ_ONLY_TRANSACTION) this.isReadOnly = true;
    });
    this.on('notice', (notice) => {
      if ((notice as pg.DatabaseError).routine !== WAITS_FOR_STANDBYS) return;
      this.unconfirmed = new OutcomeUnknown(notice as pg.DatabaseError);
      this.stream.destroy(this.unconfirmed);
    });
  }

  /** The socket; TLS replaces the first one. */
  get stream(): Duplex {
    return (this as unknown as Wired).connection.stream;
  }
}

/** The settings of all connections of the service. */
export const CONNECTION = {
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
} as const;

/** Settings that the code depends on. The server, the database and the role may have others. */
const SETTINGS = {
  array_nulls: 'on',
  bytea_output: 'hex',
  // Ends the statement of a process that was killed, and releases its locks.
  client_connection_check_interval: '1s',
  // Delivers the warnings about commits that did not wait for standbys.
  client_min_messages: 'warning',
  datestyle: 'ISO, MDY',
  default_transaction_isolation: 'read committed',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  // Ends the transaction of a process that does not read its results. PostgreSQL, which waits to send them, does not
  // count that as idle.
  tcp_user_timeout: '10s',
  timezone: 'UTC',
};

/** Returns the statements that a new connection runs first. */
export function sessionSettings(schema = 'public'): string {
  const settings = Object.entries({ ...SETTINGS, search_path: schema });
  return settings.map(([name, value]) => `set ${name} = '${value}'`).join('; ');
}

/**
 * Opens a pool that drops a connection that breaks, leads to a standby or has become read-only. The next query connects
 * again, wherever the address leads by then. `tellError` gets errors of connections until the pool ends. Unqualified
 * table names are looked up in `schema`.
 */
export function openPrimaryPool(config: pg.PoolConfig, tellError: (error: Error) => void, schema?: string): pg.Pool {
  const isReadOnly = (client: pg.PoolClient) => (client as unknown as PrimaryClient).isReadOnly;
  const pool = new pg.Pool({
    ...CONNECTION,
    Client: PrimaryClient,
    ...config,
    // Statements, not startup parameters: poolers refuse or ignore most of those, and `options` of the URL would
    // replace them.
    onConnect: async (client) => {
      await client.query({ text: sessionSettings(schema), query_timeout: CONNECT_TIMEOUT_MS } as pg.QueryConfig);
    },
    verify: (client, done) => done(isReadOnly(client) ? new ReadOnlyServer() : undefined),
  });
  // A pool ends before its connections have closed. If PostgreSQL stops then, it may break them.
  const onError = (error: Error) => void (pool.ending || tellError(error));
  pool.on('error', onError);
  // If a connection breaks while in use, its query rejects. Without a listener, the process would end too.
  pool.on('connect', (client) => client.on('error', onError));
  // Keeps a client that is ending out of the pool.
  pool.on('release', (_error, client) => {
    if (isReadOnly(client)) void (client as unknown as pg.Client).end().catch(onError);
  });
  return pool;
}

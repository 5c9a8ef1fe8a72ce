import { readFileSync } from 'node:fs';
import pg from 'pg';
import { superuserPasswordPath } from './cluster.ts';

/** The part of pg's connection that BackupQuery uses. */
interface Wire {
  query(text: string): void;
  stream: { destroy(): void };
}

/** Asks for one tar of everything, including the WAL that completes it, as soon as possible. */
const BASE_BACKUP = "BASE_BACKUP (LABEL 'lockstep', CHECKPOINT 'fast', WAL, WAIT, MANIFEST 'no')";
/** Keeps the WAL that is written meanwhile until it has been read. The slot ends with this connection. */
const KEEP_WAL = 'CREATE_REPLICATION_SLOT lockstep_backup TEMPORARY PHYSICAL (RESERVE_WAL)';

/**
 * Takes a base backup of a running embedded PostgreSQL, as the program pg_basebackup does: the parts of one tar file,
 * for unpackCluster.
 * @param directory of the embedded PostgreSQL
 * @param databaseUrl where that PostgreSQL listens
 * @param write takes each part; the part is invalid after it returns
 * @throws what PostgreSQL, the connection or `write` threw; then discard the parts written so far
 */
export async function backUpCluster(
  directory: string,
  databaseUrl: string,
  write: (part: Buffer) => void,
): Promise<void> {
  const replicating = new URL(databaseUrl);
  replicating.username = 'postgres';
  replicating.password = readFileSync(superuserPasswordPath(directory), 'utf8').trim();
  replicating.searchParams.set('replication', 'true');
  const client = new pg.Client({ connectionString: replicating.href, application_name: 'lockstep-backup' });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(KEEP_WAL);
    await new Promise<void>((resolve, reject) => {
      client.query(new BackupQuery(write, resolve, reject));
    });
  } finally {
    await client.end();
  }
}

/** A query whose answer is a stream of data (PostgreSQL documentation, Streaming Replication Protocol). */
class BackupQuery implements pg.Submittable {
  readonly #write: (part: Buffer) => void;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;
  #wire: Wire | undefined;
  #archives = 0;

  constructor(write: (part: Buffer) => void, resolve: () => void, reject: (error: unknown) => void) {
    this.#write = write;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: pg.Connection): void {
    this.#wire = connection as unknown as Wire;
    this.#wire.query(BASE_BACKUP);
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    try {
      switch (String.fromCharCode(chunk[0] ?? 0)) {
        case 'n':
          this.#archives++;
          if (this.#archives > 1) throw new Error('The server has tablespaces: use pg_basebackup.');
          break;
        case 'd':
          this.#write(chunk.subarray(1));
      }
    } catch (error) {
      this.#reject(error);
      this.#wire?.stream.destroy();
    }
  }

  handleError(error: unknown): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve();
  }

  // WAL positions and the list of tablespaces aren't needed.
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
}

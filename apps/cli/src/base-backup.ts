import pg from 'pg';

/** What pg's client calls on the query that runs, and what it hands over to write with. */
interface Wire {
  query(text: string): void;
  stream: { destroy(): void };
}

/** Everything, with the WAL that makes it whole, as soon as possible, in one tar. */
const BASE_BACKUP = "BASE_BACKUP (LABEL 'lockstep', CHECKPOINT 'fast', WAL, WAIT, MANIFEST 'no')";
/** Kept for this connection: the WAL that is written meanwhile must not be removed before it is read. */
const KEEP_WAL = 'CREATE_REPLICATION_SLOT lockstep_backup TEMPORARY PHYSICAL (RESERVE_WAL)';

/**
 * Streams a base backup of a whole PostgreSQL server, taken while it works, as the program pg_basebackup does: the parts
 * of one tar file, to be unpacked as a data directory.
 * @param url of a role that may replicate
 * @param write takes each part, and is done with it when it returns
 * @throws what PostgreSQL, the connection or `write` threw; what was written so far is then good for nothing
 */
export async function streamBaseBackup(url: string, write: (part: Buffer) => void): Promise<void> {
  const replicating = new URL(url);
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

/** A query whose answer is a stream of copied data (PostgreSQL's documentation, Streaming Replication Protocol). */
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

  // Positions in the WAL and the list of tablespaces.
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
}

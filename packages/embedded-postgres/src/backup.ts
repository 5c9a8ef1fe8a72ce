import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { findPrograms, makeClusterDirectory, readPasswords, run, writePasswords } from './cluster.ts';
import { prepareDirectory } from './start.ts';

/** Asks for one tar of everything, including the WAL that completes it, as soon as possible. */
const BASE_BACKUP = "BASE_BACKUP (LABEL 'lockstep', CHECKPOINT 'fast', WAL, WAIT, MANIFEST 'no')";
/** Keeps the WAL that is written meanwhile until it has been read. The slot ends with this connection. */
const KEEP_WAL = 'CREATE_REPLICATION_SLOT lockstep_backup TEMPORARY PHYSICAL (RESERVE_WAL)';

/**
 * Takes a base backup of a running embedded PostgreSQL, as the program pg_basebackup does: the parts of one tar file,
 * for unpackCluster. @param directory of the embedded PostgreSQL @param databaseUrl where that PostgreSQL listens
 * @param write takes each part; the part is invalid after it returns @throws what PostgreSQL, the connection or `write`
 * threw; then discard the parts written so far
 */
export async function backUpCluster(
  directory: string,
  databaseUrl: string,
  write: (part: Buffer) => void,
): Promise<void> {
  const replicating = new URL(databaseUrl);
  replicating.username = 'postgres';
  replicating.password = readPasswords(directory).postgres;
  replicating.searchParams.set('replication', 'true');
  const client = new pg.Client({ connectionString: replicating.href, application_name: 'lockstep-backup' });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(KEEP_WAL);
    const backup = new BackupQuery(write);
    client.query(backup);
    await once(backup, 'end');
  } finally {
    await client.end();
  }
}

/** A query whose answer is a stream of data (PostgreSQL documentation, Streaming Replication Protocol). */
class BackupQuery extends pg.Query {
  #write: ((part: Buffer) => void) | undefined;

  constructor(write: (part: Buffer) => void) {
    super(BASE_BACKUP);
    this.#write = write;
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // The other messages announce the archive and its progress.
    if (String.fromCharCode(chunk[0]!) !== 'd') return;
    try {
      this.#write?.(chunk.subarray(1));
    } catch (error) {
      this.#write = undefined;
      this.emit('error', error);
    }
  }
}

/**
 * Creates the cluster of an embedded PostgreSQL from a base backup, as startEmbeddedPostgres would have created it:
 * complete, on disk, and with new passwords. @param wanted where to create it; must not have a cluster yet @param
 * backup descriptor of an open tar file of backUpCluster @throws Error if the file is not such a backup, is truncated,
 * or is from another version of PostgreSQL
 */
export async function unpackCluster(wanted: string, backup: number): Promise<void> {
  const directory = prepareDirectory(wanted);
  const programs = await findPrograms(directory);
  const cluster = join(directory, 'cluster');
  makeClusterDirectory(cluster, programs);
  const passwords = writePasswords(directory, programs);
  // Through standard input, because every user can see the arguments of a process.
  const setPasswords = Object.entries(passwords).map(([role, word]) => `alter role ${role} password '${word}'\n`);
  const settings = ['-c', 'exit_on_error=on', '-c', 'dynamic_shared_memory_type=mmap'];
  try {
    await run(programs, ['tar', '--extract', '--file=-', `--directory=${cluster}`], backup);
    // Single-user mode needs no password. It recovers the cluster first.
    const single = [join(programs.bin, 'postgres'), '--single', ...settings, '-D', cluster, 'postgres'];
    await run(programs, single, setPasswords.join(''));
    await run(programs, [join(programs.bin, 'initdb'), '--sync-only', `--pgdata=${cluster}`]);
  } catch (error) {
    const lines = (error as Error).message.split('\n');
    const reason = lines.find((line) => /^tar: |FATAL|ERROR/.test(line)) ?? lines[0];
    throw new Error(`This is not a complete backup of npm start: ${reason}`, { cause: error });
  }
}

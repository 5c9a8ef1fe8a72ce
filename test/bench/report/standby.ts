import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@lockstep/embedded-postgres';
import { copyCluster, describePrimary, writeClusterFile } from '../../harness/databases/copy-cluster.ts';
import type { Machine } from './machine.ts';
import { readFamilyTime } from './processor-time.ts';

const LOOK_EVERY_MS = 20;
const FOLLOWS_WITHIN_MS = 60_000;
/** Its application_name at the primary. */
const NAME = 'standby';

/** A streaming standby of the benchmark's PostgreSQL, on the same machine. */
export class Standby {
  readonly #machine: Machine;
  readonly #postmasterPid: number;
  readonly #stop: () => Promise<void>;

  private constructor(machine: Machine, postmasterPid: number, stop: () => Promise<void>) {
    this.#machine = machine;
    this.#postmasterPid = postmasterPid;
    this.#stop = stop;
  }

  /** Copies the primary and waits until the copy streams from it. */
  static async start(machine: Machine): Promise<Standby> {
    const directory = join(machine.directory, NAME);
    const cluster = join(directory, 'cluster');
    mkdirSync(directory);
    // If this process is root, PostgreSQL's user must be able to enter the directory.
    chmodSync(directory, 0o711);
    await copyCluster(machine.primary, cluster);
    copyFileSync(join(machine.primary.directory, 'superuser-password'), join(directory, 'superuser-password'));
    const conninfo = describePrimary(machine.superuserUrlOf(machine.primary.databaseUrl), NAME);
    writeClusterFile(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
    writeClusterFile(join(cluster, 'standby.signal'), '');
    const { stop } = await startEmbeddedPostgres({ directory });
    const [pid] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    const standby = new Standby(machine, Number(pid), stop);
    await standby.#until(`state = 'streaming'`);
    return standby;
  }

  /** Waits until it has replayed everything that the primary has written so far. */
  async untilCaughtUp(): Promise<void> {
    const [row] = await this.#machine.administer<{ position: string }>(
      'select pg_current_wal_insert_lsn() as position',
    );
    // Flush the WAL: commits that didn't wait may still be in memory.
    await this.#machine.administer('select pg_switch_wal()');
    await this.#until('replay_lsn >= $2::pg_lsn', [row!.position]);
  }

  /** Returns its processor time so far in microseconds. */
  readMicros(): number {
    return readFamilyTime(this.#postmasterPid);
  }

  /** Stops it and deletes its files. */
  async remove(): Promise<void> {
    await this.#stop();
    await rm(join(this.#machine.directory, NAME), { recursive: true, maxRetries: 20, retryDelay: 50 });
  }

  async #until(condition: string, values: unknown[] = []): Promise<void> {
    const deadlineMs = performance.now() + FOLLOWS_WITHIN_MS;
    for (;;) {
      const rows = await this.#machine.administer(
        `select from pg_stat_replication where application_name = $1 and ${condition}`,
        [NAME, ...values],
      );
      if (rows.length > 0) return;
      if (performance.now() > deadlineMs) throw new Error(`Timed out waiting for the standby: ${condition}`);
      await delay(LOOK_EVERY_MS);
    }
  }
}

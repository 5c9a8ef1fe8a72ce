import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { openPool } from '@lockstep/test/harness/databases/pool';
import { sql } from 'kysely';
import { describe, expect, inject, it, vi } from 'vitest';
import { type Database, openDatabase } from './database.ts';

/** A second process, which wants the advisory locks that the frozen one's transactions hold. */
const open = (url: string) => openDatabase({ url, poolSize: 8, applicationName: 'test', onError: () => {} });
const beside = openPool({ poolSize: 8 });

/** Begins a transaction that holds a lock. Returns it and its session. */
async function begin(db: Database, lock: number) {
  const trx = await db.startTransaction().execute();
  const { rows } = await sql<{ pid: number }>`
    select pg_backend_pid() as pid, pg_advisory_xact_lock(29, ${lock})`.execute(trx);
  return { trx, pid: rows[0]!.pid };
}

/** Waits until a lock is free. Returns the seconds that took. */
async function untilFree(lock: number): Promise<number> {
  const startedMs = performance.now();
  await sql`select pg_advisory_lock(29, ${lock}), pg_advisory_unlock(29, ${lock})`.execute(beside);
  return (performance.now() - startedMs) / 1_000;
}

async function readSession(pid: number) {
  const { rows } = await sql<{ state: string; wait: string | null; seconds: number }>`
    select state, wait_event as wait, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
    from pg_stat_activity where pid = ${pid}`.execute(beside);
  return rows[0];
}

const waitsFor = (pid: number, event: string) =>
  vi.waitUntil(async () => (await readSession(pid))?.wait === event, { timeout: 60_000 });
describe.concurrent('a transaction whose process freezes', () => {
  it('ends within 15 seconds when it was between two statements', async () => {
    const way = await Way.open();
    await begin(way.db, 1);
    way.freeze();
    expect(await untilFree(1)).toBeLessThan(15);
    way.close();
  });

  it('ends within 15 seconds while it receives a large result', async () => {
    const way = await Way.open();
    const { trx, pid } = await begin(way.db, 2);
    way.freezeAnswers();
    void sql`select repeat('x', 1000000) from generate_series(1, 200)`.execute(trx).catch(() => {});
    await waitsFor(pid, 'ClientWrite');
    way.freeze();
    expect(await untilFree(2)).toBeLessThan(15);
    way.close();
  });

  it('ends within 15 seconds of getting the lock for which it waited', async () => {
    const way = await Way.open();
    const { trx, pid } = await begin(way.db, 3);
    const holder = await begin(beside, 4);
    void sql`select pg_advisory_xact_lock(29, 4)`.execute(trx).catch(() => {});
    await waitsFor(pid, 'advisory');
    way.freeze();
    await holder.trx.rollback().execute();
    expect(await untilFree(3)).toBeLessThan(15);
    way.close();
  });
});

it('keeps a transaction whose process works for long without a statement', async () => {
  const { trx, pid } = await begin(beside, 5);
  await vi.waitUntil(async () => ((await readSession(pid))?.seconds ?? 99) > 12, { timeout: 60_000 });
  expect((await sql`select 29 as still`.execute(trx)).rows).toEqual([{ still: 29 }]);
  await trx.commit().execute();
});

/** A proxy to PostgreSQL that can freeze: like a stopped process, it neither reads nor sends. */
class Way {
  readonly #server: Server;
  readonly #through: { client: Socket; server: Socket }[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Way> {
    const { hostname, port } = new URL(inject('postgresUrl'));
    const server = createServer((client) => {
      const toServer = connect(Number(port), hostname);
      client.pipe(toServer).pipe(client);
      for (const socket of [client, toServer]) socket.on('error', () => {});
      way.#through.push({ client, server: toServer });
    });
    const way = new Way(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return way;
  }

  /** The database handle of the process that freezes. */
  get db(): Database {
    const url = new URL(inject('postgresUrl'));
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return open(url.href);
  }

  freezeAnswers(): void {
    for (const { client, server } of this.#through) server.unpipe(client).pause();
  }

  freeze(): void {
    this.freezeAnswers();
    for (const { client, server } of this.#through) client.unpipe(server).pause();
  }

  close(): void {
    for (const { client, server } of this.#through) for (const socket of [client, server]) socket.destroy();
    this.#server.close();
  }
}

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { behindSavepoint, type Database, openDatabase, type Trx, together } from './database.ts';

/** What PostgreSQL answered a statement with. */
function databaseError(code: string, constraint?: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(code, 0, 'error'), { code, constraint });
}

describe('queries that are started together', () => {
  it('answer as Promise.all does', async () => {
    expect(await together([Promise.resolve(1), 'two', Promise.resolve(null)])).toEqual([1, 'two', null]);
  });

  it('fail with what failed first in their order, though a later one was heard of first', async () => {
    const cause = Promise.withResolvers<void>();
    const failing = together([Promise.resolve(), cause.promise, Promise.reject(databaseError('25P02'))]);
    await new Promise((resolve) => setImmediate(resolve));
    cause.reject(databaseError('40P01'));
    await expect(failing).rejects.toMatchObject({ code: '40P01' });
  });
});

describe('a connection that goes silent', () => {
  const through: Socket[] = [];
  /** Passes everything on between a client and PostgreSQL, until it is told to keep silent. */
  const proxy = createServer((client) => {
    const { hostname, port } = new URL(inject('postgresUrl'));
    const server = connect(Number(port), hostname);
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) socket.on('error', () => {});
    through.push(client, server);
  });
  const silence = () => {
    for (const socket of through) socket.unpipe();
  };

  beforeAll(async () => {
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(async () => {
    for (const socket of through) socket.destroy();
    await once(proxy.close(), 'close');
  });

  it('is given up after a query that timed out, and the queries after it get another', async () => {
    const url = new URL(inject('postgresUrl'));
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const db = openDatabase({
      url: url.href,
      poolSize: 1,
      applicationName: 'test',
      queryTimeoutMs: 50,
      onError: () => {},
    });
    const look = () => sql`select 1`.execute(db);
    await look();
    silence();
    await expect(look()).rejects.toThrow('timeout');
    // The pool may hear of it only with the next query.
    await look().catch(() => {});
    await look();
    await db.destroy();
  });
});

describe('a part of a transaction behind a savepoint', () => {
  let db: Database;

  beforeAll(() => {
    db = openDatabase({ url: inject('postgresUrl'), poolSize: 2, applicationName: 'test', onError: () => {} });
  });
  afterAll(() => db.destroy());

  /** Runs a transaction over a table of its own, and answers what stands in the table at its end. */
  async function written(work: (trx: Trx) => Promise<unknown>): Promise<string[]> {
    return await db.transaction().execute(async (trx) => {
      await sql`create temporary table written (word text unique) on commit drop`.execute(trx);
      await work(trx);
      const { rows } = await sql<{ word: string }>`select word from written order by word`.execute(trx);
      return rows.map(({ word }) => word);
    });
  }
  const write = (word: string): RawBuilder<unknown> => sql`insert into written values (${word})`;

  /** What a promise was rejected with. */
  const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => undefined,
      (error) => error,
    );

  it('answers what its work answers, and is kept', async () => {
    const words = written(async (trx) => {
      await write('before').execute(trx);
      const answer = await behindSavepoint(trx, async () => {
        await write('part').execute(trx);
        return 'answer';
      });
      expect(answer).toBe('answer');
      await write('then').execute(trx);
    });
    expect(await words).toEqual(['before', 'part', 'then']);
  });

  it.each<[string, (trx: Trx) => Promise<unknown>, thrown: object]>([
    ['PostgreSQL refuses something', (trx) => write('before').execute(trx), { code: '23505' }],
    ['its code throws', () => Promise.reject(new Error('of the part')), { message: 'of the part' }],
    [
      'its code throws at once',
      () => {
        throw new Error('of the part');
      },
      { message: 'of the part' },
    ],
  ])('is taken back where %s, with its failure, and nothing else is', async (_, fail, thrown) => {
    const words = written(async (trx) => {
      await write('before').execute(trx);
      const part = behindSavepoint(trx, async () => {
        await write('part').execute(trx);
        await fail(trx);
      });
      expect(await failureOf(part)).toMatchObject(thrown);
      await write('then').execute(trx);
    });
    expect(await words).toEqual(['before', 'then']);
  });

  it('is taken back with the first failure of the queries that travelled together', async () => {
    const words = written(async (trx) => {
      await write('before').execute(trx);
      const part = behindSavepoint(trx, () =>
        together([write('part').execute(trx), write('before').execute(trx), write('late').execute(trx)]),
      );
      expect(await failureOf(part)).toMatchObject({ code: '23505' });
    });
    expect(await words).toEqual(['before']);
  });

  it('is each one by itself, one after the other and one inside another', async () => {
    const words = written(async (trx) => {
      const part = (word: string, inner: () => Promise<unknown> = async () => {}) =>
        behindSavepoint(trx, async () => {
          await write(word).execute(trx);
          await inner();
        });
      const failing = () => Promise.reject(new Error('failed'));
      await part('first');
      await failureOf(part('second', failing));
      await part('third', () => failureOf(part('inside', failing)));
      await failureOf(part('fourth', () => part('kept, but for the outer one', () => Promise.resolve()).then(failing)));
      await part('fifth');
    });
    expect(await words).toEqual(['fifth', 'first', 'third']);
  });

  it('fails by its own failure where the connection is lost, and not by what comes of that', async () => {
    const endConnection = (trx: Trx) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(trx);
    let failures: unknown[] = [];
    const whole = written(async (trx) => {
      const lost = await failureOf(behindSavepoint(trx, () => endConnection(trx)));
      const own = await failureOf(
        behindSavepoint(trx, async () => Promise.reject(new Error('not reached: no savepoint can be set'))),
      );
      failures = [lost, own];
    });
    await expect(whole).rejects.toThrow();
    expect(failures).toMatchObject([{ code: '57P01' }, expect.any(Error)]);
    expect(String(failures[1])).not.toMatch('not reached');

    const thrown = written(async (trx) => {
      const part = behindSavepoint(trx, async () => {
        await failureOf(endConnection(trx));
        throw new Error('of the part');
      });
      failures = [await failureOf(part)];
    });
    await expect(thrown).rejects.toThrow();
    expect(failures).toMatchObject([{ message: 'of the part' }]);
  });
});

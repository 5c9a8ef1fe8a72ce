import { openPool } from '@lockstep/test/harness/databases/pool';
import { ForwardedAddress } from '@lockstep/test/harness/network/forwarded-address';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { behindSavepoint, type Database, inTransaction, type Trx } from './database.ts';

it('a connection that goes silent is replaced after a query has timed out', async () => {
  const address = await ForwardedAddress.open(inject('postgresUrl'));
  onTestFinished(() => address.close());
  const db = openPool({ url: address.url, queryTimeoutMs: 50 });
  const look = () => sql`select 1`.execute(db);
  await look();
  address.freeze();
  await expect(look()).rejects.toThrow('timeout');
  // The pool may notice it only with the next query.
  await look().catch(() => {});
  await look();
});

describe('a session', () => {
  const at = (search: string) => openPool({ url: Object.assign(new URL(inject('postgresUrl')), { search }).href });

  it.each(['application_name=shop', 'application%5Fname=shop'])(
    'has our name, whatever the URL says: %s',
    async (name) => {
      const { rows } = await sql`select current_setting('application_name') as name`.execute(at(name));
      expect(rows).toEqual([{ name: 'test' }]);
    },
  );

  it('has our settings, and the options of the URL otherwise', async () => {
    const db = at(`options=${encodeURIComponent('-c datestyle=German -c work_mem=7MB')}`);
    const { rows } = await sql`
      select current_setting('datestyle') as style, current_setting('client_min_messages') as messages,
        current_setting('work_mem') as memory`.execute(db);
    expect(rows).toEqual([{ style: 'ISO, MDY', messages: 'warning', memory: '7MB' }]);
  });
});

describe('a part of a transaction behind a savepoint', () => {
  const db = openPool({ poolSize: 2 });

  /** Runs a transaction on a table of its own. Returns the content of the table afterwards. */
  async function written(work: (trx: Trx) => Promise<unknown>): Promise<string[]> {
    return await db.transaction().execute(async (trx) => {
      await sql`create temporary table written (word text unique) on commit drop`.execute(trx);
      await work(trx);
      const { rows } = await sql<{ word: string }>`select word from written order by word`.execute(trx);
      return rows.map(({ word }) => word);
    });
  }
  const write = (word: string): RawBuilder<unknown> => sql`insert into written values (${word})`;

  /** Returns the reason why a promise was rejected. */
  const catchFailure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => undefined,
      (error) => error,
    );

  it('returns the result of its work, and is kept', async () => {
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
  ])('is rolled back alone, with its failure, when %s', async (_, fail, thrown) => {
    const words = written(async (trx) => {
      await write('before').execute(trx);
      const part = behindSavepoint(trx, async () => {
        await write('part').execute(trx);
        await fail(trx);
      });
      expect(await catchFailure(part)).toMatchObject(thrown);
      await write('then').execute(trx);
    });
    expect(await words).toEqual(['before', 'then']);
  });

  it('is independent of parts after it and inside it', async () => {
    const words = written(async (trx) => {
      const part = (word: string, inner: () => Promise<unknown> = async () => {}) =>
        behindSavepoint(trx, async () => {
          await write(word).execute(trx);
          await inner();
        });
      const failing = () => Promise.reject(new Error('failed'));
      await part('first');
      await catchFailure(part('second', failing));
      await part('third', () => catchFailure(part('inside', failing)));
      await catchFailure(
        part('fourth', () => part('kept, but for the outer one', () => Promise.resolve()).then(failing)),
      );
      await part('fifth');
    });
    expect(await words).toEqual(['fifth', 'first', 'third']);
  });

  it('throws its own failure when the connection is lost, not the one that follows from it', async () => {
    const endConnection = (trx: Trx) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(trx);
    let failures: unknown[] = [];
    const whole = written(async (trx) => {
      const lost = await catchFailure(behindSavepoint(trx, () => endConnection(trx)));
      const own = await catchFailure(
        behindSavepoint(trx, async () => Promise.reject(new Error('not reached: no savepoint can be set'))),
      );
      failures = [lost, own];
    });
    await expect(whole).rejects.toThrow();
    expect(failures).toMatchObject([{ code: '57P01' }, expect.any(Error)]);
    expect(String(failures[1])).not.toMatch('not reached');

    const thrown = written(async (trx) => {
      const part = behindSavepoint(trx, async () => {
        await catchFailure(endConnection(trx));
        throw new Error('of the part');
      });
      failures = [await catchFailure(part)];
    });
    await expect(thrown).rejects.toThrow();
    expect(failures).toMatchObject([{ message: 'of the part' }]);
  });
});

describe('a transaction in a transaction', async () => {
  const db = openPool();
  await sql`create temporary table noted (word text)`.execute(db);

  const note = (word: string, on: Database) => sql`insert into noted values (${word})`.execute(on);

  it('is a part of it, and rolled back with it', async () => {
    const whole = inTransaction(db, async (trx) => {
      await inTransaction(trx, (part) => note('part', part));
      throw new Error('of the whole');
    });
    await expect(whole).rejects.toThrow('of the whole');
    expect((await sql`select from noted`.execute(db)).rows).toEqual([]);
  });

  it('is run again with it after a conflict', async () => {
    let runs = 0;
    await inTransaction(db, async (trx) => {
      await note('before', trx);
      await inTransaction(trx, async (part) => {
        runs++;
        if (runs === 1) await sql`do $$ begin raise 'lost' using errcode = '40001'; end $$`.execute(part);
      });
    });
    expect(runs).toBe(2);
    expect((await sql`select word from noted`.execute(db)).rows).toEqual([{ word: 'before' }]);
  });

  it.each([
    ['key_chosen', 5],
    ['other', 1],
  ])('that violates %s runs %i times', async (constraint, times) => {
    let runs = 0;
    const violating = inTransaction(db, async (trx) => {
      runs++;
      const violate = `raise 'taken' using errcode = '23505', constraint = '${constraint}'`;
      await sql.raw(`do $$ begin ${violate}; end $$`).execute(trx);
    });
    await expect(violating).rejects.toThrow('taken');
    expect(runs).toBe(times);
  });
});

import { openPool } from '@lockstep/test/harness/databases/pool';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Overload } from '../concurrency/deadline.ts';
import { inSnapshot } from './database.ts';
import { isOverload, isTransient, WriteOutcomes } from './errors.ts';
import { OutcomeUnknown, ReadOnlyServer } from './pool.ts';
import { run } from './statement.ts';

/** An error as PostgreSQL reports it. */
function databaseError(code: string, more: { constraint?: string; file?: string } = {}): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('error', 0, 'error'), { code, ...more });
}

describe('a failure that may pass by itself', () => {
  it.each([
    ['a deadlock', databaseError('40P01')],
    ['a chosen key that another transaction has taken meanwhile', databaseError('23505', { constraint: 'key_chosen' })],
    ['a transaction that has failed already', databaseError('25P02')],
    ['a standby that takes no writes', databaseError('25006')],
    ['a server that says at once that it is a standby', new ReadOnlyServer()],
    ['a full disk', databaseError('53100')],
    ['a shutdown', databaseError('57P01')],
    ['a lock that others hold', databaseError('55P03')],
    ['a broken connection', new Error('Connection terminated unexpectedly')],
    ['an answer that never came', new Error('Query read timeout')],
    ['a commit whose outcome is unknown', new OutcomeUnknown(new Error('socket hang up'))],
    ['a PostgreSQL that is away', Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect' })],
    [
      'a PostgreSQL that is away at every address of its name',
      new AggregateError([Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect' })]),
    ],
  ])('is %s', (_, error) => expect(isTransient(error)).toBe(true));

  it.each([
    ['a character that PostgreSQL refuses', databaseError('22021')],
    ['a check', databaseError('23514')],
    ['a second row of one id', databaseError('23505', { constraint: 'other' })],
    ['a program limit', databaseError('54000')],
    ['a missing table', databaseError('42P01')],
    ['an error raised in SQL', databaseError('P0001')],
    ['an error of the code', new TypeError('of the code')],
    ['a file that is missing', Object.assign(new Error('ENOENT: no such file'), { syscall: 'open' })],
  ])('is not %s', (_, error) => expect(isTransient(error)).toBe(false));
});

describe('overload, after which nothing has changed', () => {
  it.each([
    ['a lock that others hold', databaseError('55P03')],
    ['a statement that took too long', databaseError('57014')],
    ['a turn that did not come', new Overload('no turn')],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
  ])('is %s', (_, error) => expect(isOverload(error)).toBe(true));

  it.each([
    ['a shutdown', databaseError('57P01')],
    ['a deadlock', databaseError('40P01')],
    ['an answer that never came', new Error('Query read timeout')],
    ['a PostgreSQL that is away', new Error('connect ECONNREFUSED')],
    ['nothing that is thrown', undefined],
  ])('is not %s', (_, error) => expect(isOverload(error)).toBe(false));
});

const FULL = /disk is full/;
const READ_ONLY = /read-only/;

const diskFull = databaseError('53100', { file: 'md.c' });
const readOnly = databaseError('25006', { file: 'utility.c' });

let writes = new WriteOutcomes();

beforeEach(() => {
  writes = new WriteOutcomes();
});

describe('a database', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('takes writes until one has failed for that', () => {
    expect(writes.findFault()).toBeNull();
    writes.noteStored();
    expect(writes.findFault()).toBeNull();
    writes.noteError(diskFull);
    expect(writes.findFault()).toMatch(FULL);
    writes.noteError(readOnly);
    expect(writes.findFault()).toMatch(READ_ONLY);
  });

  it('may be retried when nothing has failed for 10 seconds', () => {
    writes.noteError(diskFull);
    vi.advanceTimersByTime(6_000);
    writes.noteError(diskFull);
    vi.advanceTimersByTime(9_999);
    expect(writes.findFault()).toMatch(FULL);
    vi.advanceTimersByTime(1);
    expect(writes.findFault()).toBeNull();
    writes.noteError(diskFull);
    expect(writes.findFault()).toMatch(FULL);
  });

  it('takes writes as soon as one has succeeded, and while only some fail', () => {
    writes.noteError(diskFull);
    vi.advanceTimersByTime(1_000);
    writes.noteStored();
    expect(writes.findFault()).toBeNull();
    vi.advanceTimersByTime(5_000);
    writes.noteError(diskFull);
    expect(writes.findFault()).toBeNull();
    // The first failure no longer counts, and nothing has succeeded since the second one.
    vi.advanceTimersByTime(5_000);
    expect(writes.findFault()).toMatch(FULL);
  });
});

describe('an error proves nothing', () => {
  it.each([
    ['when a temporary file does not fit', databaseError('53100', { file: 'buffile.c' })],
    ['when a parallel query gets no shared memory', databaseError('53100', { file: 'dsm_impl.c' })],
    ['when a temporary file is larger than allowed', databaseError('53400', { file: 'fd.c' })],
    ['when a statement is too complex', databaseError('54000', { file: 'tlist.c' })],
    ['when the values are at fault', databaseError('23514', { file: 'execMain.c' })],
    ['when the code is at fault', new TypeError('of the code')],
  ])('%s', (_, error) => {
    writes.noteError(error);
    expect(writes.findFault()).toBeNull();
  });

  it('unless no transaction id is left', () => {
    writes.noteError(databaseError('54000', { file: 'varsup.c' }));
    expect(writes.findFault()).toMatch(/transaction IDs/);
  });
});

describe('the writes of a pool', async () => {
  const table = 'written_outcomes';
  const insert = (word: string) => sql`insert into ${sql.table(table)} values (${word}) on conflict do nothing`;
  const storing = {
    text: `with stored as (insert into ${table} values (gen_random_uuid()) returning 1) select from stored`,
  };

  const told = { noteStored: () => writes.noteStored(), noteError: (error: unknown) => writes.noteError(error) };
  const db = openPool({ writes: told as WriteOutcomes });
  await sql`create table ${sql.table(table)} (word text primary key)`.execute(db);
  afterAll(() => sql`drop table ${sql.table(table)}`.execute(db));
  await insert('there').execute(db);
  beforeEach(() => writes.noteError(diskFull));

  it.each<[string, () => Promise<unknown>]>([
    ['rows that are inserted', () => insert('alone').execute(db)],
    [
      'rows that a committed transaction has inserted',
      () => db.transaction().execute((trx) => insert('trx').execute(trx)),
    ],
    [
      'what a statement says that it stores',
      () => run(db, { name: 'storing', ...storing, values: [], storesRows: true }),
    ],
  ])('succeed with %s', async (_, write) => {
    await write();
    expect(writes.findFault()).toBeNull();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a read', () => sql`select 1`.execute(db)],
    ['rows that were there already', () => insert('there').execute(db)],
    ['rows that change where they are', () => sql`update ${sql.table(table)} set word = word`.execute(db)],
    ['rows that go', () => sql`delete from ${sql.table(table)} where word = 'gone'`.execute(db)],
    ['rows that no statement reports as stored', () => run(db, { name: 'unsaid', ...storing, values: [] })],
    [
      'a transaction that is rolled back',
      () =>
        db.transaction().execute(async (trx) => {
          await insert('rolled back').execute(trx);
          throw new Error('of the code');
        }),
    ],
    [
      'a transaction that a failed statement aborts',
      () =>
        db.transaction().execute(async (trx) => {
          await insert('aborted').execute(trx);
          await sql`select 1 / 0`.execute(trx).catch(() => {});
        }),
    ],
  ])('do not succeed with %s', async (_, work) => {
    await insert('gone').execute(db);
    writes = new WriteOutcomes();
    writes.noteError(diskFull);
    await work().catch(() => {});
    expect(writes.findFault()).toMatch(FULL);
  });

  it('fail when the session takes none, but not for a transaction that asked for that', async () => {
    writes = new WriteOutcomes();
    const before = inSnapshot(db, (trx) => insert('in a snapshot').execute(trx));
    await expect(before).rejects.toMatchObject({ code: '25006' });
    expect(writes.findFault()).toBeNull();
    await sql`set default_transaction_read_only = on`.execute(db);
    await expect(insert('read only').execute(db)).rejects.toMatchObject({ code: '25006' });
    expect(writes.findFault()).toMatch(READ_ONLY);
  });
});

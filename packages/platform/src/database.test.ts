import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { isDataFault, together } from './database.ts';

/** What PostgreSQL answered a statement with. */
function databaseError(code: string, constraint?: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(code, 0, 'error'), { code, constraint });
}

describe('queries that travel together', () => {
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

describe('a fault of the data, after which an order is failed', () => {
  it.each([
    ['a character that PostgreSQL refuses', databaseError('22021')],
    ['a check', databaseError('23514')],
    ['an unexpected second row', databaseError('23505', 'license_order_pkey')],
    ['a program limit', databaseError('54000')],
    ['an error raised in SQL', databaseError('P0001')],
  ])('is %s', (_, error) => expect(isDataFault(error)).toBe(true));

  it.each([
    ['two lanes that buy one number', databaseError('23505', 'asset_active_number')],
    ['a deadlock', databaseError('40P01')],
    ['a transaction that has failed already', databaseError('25P02')],
    ['a standby that takes no writes', databaseError('25006')],
    ['a full disk', databaseError('53100')],
    ['a shutdown', databaseError('57P01')],
    ['a broken connection', new Error('Connection terminated unexpectedly')],
  ])('is not %s', (_, error) => expect(isDataFault(error)).toBe(false));
});

import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { Overload } from '../concurrency/deadline.ts';
import { addChosenKeys, isOverload, isTransient, violatesUnique } from './errors.ts';
import { ReadOnlyServer } from './pool.ts';

addChosenKeys('chosen');

/** An error as PostgreSQL reports it. */
function databaseError(code: string, constraint?: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(code, 0, 'error'), { code, constraint });
}

describe('a failure that may pass by itself', () => {
  it.each([
    ['a deadlock', databaseError('40P01')],
    ['a chosen key that another transaction has taken meanwhile', databaseError('23505', 'chosen')],
    ['a transaction that has failed already', databaseError('25P02')],
    ['a standby that takes no writes', databaseError('25006')],
    ['a server that says at once that it is a standby', new ReadOnlyServer()],
    ['a full disk', databaseError('53100')],
    ['a shutdown', databaseError('57P01')],
    ['a lock that others hold', databaseError('55P03')],
    ['a broken connection', new Error('Connection terminated unexpectedly')],
    ['an answer that never came', new Error('Query read timeout')],
    ['a PostgreSQL that is away', Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect' })],
  ])('is %s', (_, error) => expect(isTransient(error)).toBe(true));

  it.each([
    ['a character that PostgreSQL refuses', databaseError('22021')],
    ['a check', databaseError('23514')],
    ['a second row of one id', databaseError('23505', 'other')],
    ['a program limit', databaseError('54000')],
    ['a missing table', databaseError('42P01')],
    ['an error raised in SQL', databaseError('P0001')],
    ['an error of the code', new TypeError('of the code')],
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

describe('a violation of a unique index', () => {
  it.each([
    ['of that name', databaseError('23505', 'one'), true],
    ['of another name', databaseError('23505', 'two'), false],
    ['or a check of that name', databaseError('23514', 'one'), false],
  ])('%s', (_, error, expected) => expect(violatesUnique(error, 'one')).toBe(expected));
});

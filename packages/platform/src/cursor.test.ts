import { describe, expect, it } from 'vitest';
import { type CursorPart, ListCursor, WrongCursor } from './cursor.ts';
import { isId } from './postgres/statement.ts';

describe('a cursor', () => {
  const scope = ['batches', '7', { channelCode: 'store' }];
  const parts: CursorPart[] = [(text) => /^\d{4}-\d\d-\d\d$/.test(text), isId];
  const write = (...place: string[]) => new ListCursor(scope, undefined, parts).write(place)!;
  const cursor = write('2026-01-01', '12');

  it('leads back to its place in its list', () => {
    expect(new ListCursor(scope, cursor, parts).after).toEqual(['2026-01-01', '12']);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it.each([
    ['cut', scope, cursor.slice(0, -1)],
    ['cut to nothing', scope, ''],
    ['changed', scope, `A${cursor.slice(1)}`],
    ['longer', scope, `${cursor}A`],
    ['of another list', ['orders', '7', { channelCode: 'store' }], cursor],
    ['of another application', ['batches', '8', { channelCode: 'store' }], cursor],
    ['with other filters', ['batches', '7', { channelCode: 'shop' }], cursor],
    ['without the filters', ['batches', '7', {}], cursor],
  ])('is refused when it is %s', (_, of, text) => {
    expect(() => new ListCursor(of, text, parts)).toThrow(WrongCursor);
  });

  it.each([
    ['too few parts', write('2026-01-01')],
    ['too many parts', write('2026-01-01', '12', '13')],
    ['a part that is none', write('2026-01-01', '-1')],
    ['nothing', write()],
  ])('is refused when it was made up, of %s', (_, text) => {
    expect(() => new ListCursor(scope, text, parts)).toThrow(WrongCursor);
  });
});

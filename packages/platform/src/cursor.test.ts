import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from './cursor.ts';

describe('a cursor', () => {
  const scope = ['batches', '7', { channelCode: 'store' }];
  const cursor = writeCursor(scope, ['2026-01-01', '12']);

  it('leads back to its place in its list', () => {
    expect(readCursor(scope, cursor)).toEqual(['2026-01-01', '12']);
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
    expect(readCursor(of, text)).toBeNull();
  });
});

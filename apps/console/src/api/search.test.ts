import { describe, expect, it } from 'vitest';
import { parseSearch, writeSearch } from './search.ts';

describe('the search part of an address', () => {
  it('keeps texts as they are, also ids with more digits than a number keeps', () => {
    const search = { order: '9007199254740993', name: 'a&b=c d', flag: 'true' };
    expect(parseSearch(writeSearch(search))).toEqual(search);
  });

  it('leaves out what is empty', () => {
    expect(writeSearch({ state: undefined, channel: '', cursor: null })).toBe('');
    expect(writeSearch({ state: 'failed', channel: '' })).toBe('?state=failed');
    expect(parseSearch('?state=failed&channel=')).toEqual({ state: 'failed' });
  });
});

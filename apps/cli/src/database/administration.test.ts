import { ApplicationName } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { readChannels, readText } from './administration.ts';

const parseName = (value: string) => readText(ApplicationName, '--name', value);

describe('--name and --channel', () => {
  it('accept 1 to 255 characters and trim them', () => {
    expect(parseName(' Web shop ')).toBe('Web shop');
    expect(parseName('店'.repeat(255))).toBe('店'.repeat(255));
    expect(readChannels([' web '])).toEqual(['web']);
  });

  it('--channel can be repeated, and duplicates count once', () => {
    expect(readChannels(['web', 'tele'])).toEqual(['web', 'tele']);
    expect(readChannels(['web', 'tele', 'web '])).toEqual(['web', 'tele']);
  });

  it.each(['', ' ', 'x'.repeat(256), 'a\tb', 'a\nb', '\u0085'])('refuse %j', (value) => {
    const fault = { kind: 'usage' };
    expect(() => parseName(value)).toThrow(expect.objectContaining(fault));
    expect(() => readChannels(['web', value])).toThrow(expect.objectContaining(fault));
  });
});

import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { addChannel, parseName, parseOverlapHours } from './applications.ts';

describe('--name and --channel', () => {
  it('accept 1 to 255 characters, and trim them', () => {
    expect(parseName(' Web shop ')).toBe('Web shop');
    expect(parseName('店'.repeat(255))).toBe('店'.repeat(255));
    expect(addChannel(' web ')).toEqual(['web']);
  });

  it('--channel may be repeated, and each channel counts once', () => {
    expect(addChannel('tele', addChannel('web'))).toEqual(['web', 'tele']);
    expect(addChannel('web ', ['web', 'tele'])).toEqual(['web', 'tele']);
  });

  it.each(['', ' ', 'x'.repeat(256), 'a\tb', 'a\nb', '\u0085'])('refuse %j', (value) => {
    const fault = new InvalidArgumentError('It must be 1 to 255 characters, none of them a control character.');
    expect(() => parseName(value)).toThrow(fault);
    expect(() => addChannel(value, ['web'])).toThrow(fault);
  });
});

describe('--overlap-hours', () => {
  it.each(['0', '1', '24', '720'])('accepts %s', (value) => {
    expect(parseOverlapHours(value)).toBe(Number(value));
  });

  it.each(['-1', '721', '999', '1000', '1.5', '1e1', '0x10', '+5', '', ' ', ' 5', 'day', '٣'])(
    'refuses %j',
    (value) => {
      expect(() => parseOverlapHours(value)).toThrow(
        new InvalidArgumentError('It must be a whole number of hours from 0 to 720; 0 ends the old secret at once.'),
      );
    },
  );
});

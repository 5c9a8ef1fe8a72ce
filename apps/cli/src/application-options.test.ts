import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { channelOption, nameOption, overlapOption } from './application-options.ts';

describe('--name and --channel', () => {
  it('take 1 to 255 characters, trimmed', () => {
    expect(nameOption(' Web shop ')).toBe('Web shop');
    expect(nameOption('店'.repeat(255))).toBe('店'.repeat(255));
    expect(channelOption(' web ')).toEqual(['web']);
  });

  it('--channel comes any number of times, and each channel counts once', () => {
    expect(channelOption('tele', channelOption('web'))).toEqual(['web', 'tele']);
    expect(channelOption('web ', ['web', 'tele'])).toEqual(['web', 'tele']);
  });

  it.each(['', ' ', 'x'.repeat(256), 'a\tb', 'a\nb', '\u0085'])('refuse %j', (value) => {
    const fault = new InvalidArgumentError('It must be 1 to 255 characters, none of them a control character.');
    expect(() => nameOption(value)).toThrow(fault);
    expect(() => channelOption(value, ['web'])).toThrow(fault);
  });
});

describe('--overlap-hours', () => {
  it.each(['0', '1', '24', '720'])('takes %s', (value) => {
    expect(overlapOption(value)).toBe(Number(value));
  });

  it.each(['-1', '721', '999', '1000', '1.5', '1e1', '0x10', '+5', '', ' ', ' 5', 'day', '٣'])(
    'refuses %j',
    (value) => {
      expect(() => overlapOption(value)).toThrow(
        new InvalidArgumentError('It must be a whole number of hours from 0 to 720; 0 ends the old secret at once.'),
      );
    },
  );
});

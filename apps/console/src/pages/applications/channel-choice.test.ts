import { expect, it } from 'vitest';
import { findFault, readChoice, writeChoice } from './channel-choice.ts';

it('channels are typed one a line, each once, without blanks around them', () => {
  const text = ' web\n\ntele \nweb';
  expect(readChoice({ isBound: true, text })).toEqual(['web', 'tele']);
  expect(readChoice({ isBound: false, text })).toBeNull();
});

it('what an application is bound to is shown as it is typed', () => {
  expect(writeChoice(['web', 'tele'])).toEqual({ isBound: true, text: 'web\ntele' });
  expect(writeChoice(null)).toEqual({ isBound: false, text: '' });
});

it('binding needs a channel, and not more than an application may have', () => {
  const choose = (count: number) => writeChoice(Array.from({ length: count }, (_, index) => `channel ${index}`));
  expect([0, 1, 200, 201].map((count) => findFault(choose(count)))).toEqual([
    'channelsMissing',
    undefined,
    undefined,
    'channelsTooMany',
  ]);
  expect(findFault(writeChoice(null))).toBeUndefined();
});

import { expect, it } from 'vitest';
import { RememberedAnswers } from './remembered-answers.ts';

/** Answers of 1,000 characters, which take a little more than 2,000 bytes each. */
const remember = (answers: RememberedAnswers, key: string, end = '1/') =>
  answers.set(key, { end, answer: key.padEnd(1_000, '.') });

it('never takes more than its bytes, and forgets what was wanted longest ago', () => {
  const answers = new RememberedAnswers(7_500);
  for (const key of ['a', 'b', 'c']) remember(answers, key);
  expect(answers.get('a')).toMatchObject({ end: '1/' });
  remember(answers, 'd');
  expect(['a', 'b', 'c', 'd'].filter((key) => answers.get(key) !== undefined)).toEqual(['a', 'c', 'd']);
  for (let count = 0; count < 1_000; count++) {
    remember(answers, String(count));
    expect(answers.bytes).toBeLessThanOrEqual(7_500);
  }
});

it('keeps the last answer of a key', () => {
  const answers = new RememberedAnswers(7_500);
  for (let count = 0; count < 10; count++) remember(answers, 'a', `${count}/`);
  expect(answers.get('a')).toMatchObject({ end: '9/' });
  const { bytes } = answers;
  remember(answers, 'b');
  expect(answers.bytes).toBe(2 * bytes);
  answers.forget('a');
  answers.forget('a');
  expect([answers.get('a'), answers.bytes]).toEqual([undefined, bytes]);
});

it('does not keep an answer that is larger than all', () => {
  const answers = new RememberedAnswers(1_000);
  remember(answers, 'a');
  expect([answers.get('a'), answers.bytes]).toEqual([undefined, 0]);
});

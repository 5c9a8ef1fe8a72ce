import { globSync } from 'node:fs';
import {
  causesInChinese,
  explainInChinese,
  faultsInChinese,
  fieldFaultsInChinese,
  jsonFaultsInChinese,
  translate,
  valuesInChinese,
} from '@lockstep/console/words';
import { buildMessage, type Cause, causes, MAX_QUOTED_CHARACTERS } from '@lockstep/contract/causes';
import { type ConsoleCause, ConsoleRefusal, consoleCauses } from '@lockstep/contract/console';
import { findJsonFault } from '@lockstep/contract/json-fault';
import { FAULTS } from '@lockstep/webhooks/testing';
import { describe, expect, it } from 'vitest';
import { readRepositoryFile } from '../harness/processes/deployment-files.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';

const english: Record<string, { message: string }> = { ...causes, ...consoleCauses };
const CHINESE = Object.entries(causesInChinese);

const placeholdersIn = (text: string) => [...new Set(text.match(/\{\d\}/g))].sort();
const buildEnglish = (cause: string, values: string[]) =>
  cause in consoleCauses
    ? new ConsoleRefusal(cause as ConsoleCause, ...values).message
    : buildMessage(cause as Cause, ...values);

describe.each(CHINESE)('%s in Chinese', (cause, template) => {
  it('has the placeholders of the English message', () => {
    expect(placeholdersIn(template)).toEqual(placeholdersIn(english[cause]!.message));
  });

  it.each([
    ['a.*+?^$(b)[c]{d}|\\', "'$&'\"“”", '换行\n\r\n.'],
    ['{1}', '{2}', '{0}'],
    ['x'.repeat(2 * MAX_QUOTED_CHARACTERS), '1', '2'],
  ])('quotes the values of the English message: %j', (...values) => {
    const quoted = template.replace(/\{(\d)\}/g, (_, position: string) => {
      const value = values[Number(position)]!;
      return value.length > MAX_QUOTED_CHARACTERS ? `${value.slice(0, MAX_QUOTED_CHARACTERS - 1)}…` : value;
    });
    expect(explainInChinese(cause, buildEnglish(cause, values))).toBe(quoted);
  });

  it('reads well without values, and before a message with other words', () => {
    const meaning = explainInChinese(cause, null);
    expect(meaning).not.toMatch(/^[：，]|[（“][）”]|[ ：，][，。；]|\{|\s\s|^\s/);
    expect(explainInChinese(cause, 'An older message.')).toBe(`${meaning}An older message.`);
  });
});

const phrases = Object.entries(valuesInChinese).flatMap(([cause, places]) =>
  Object.entries(places).flatMap(([position, table]) =>
    Object.entries(table).map(([from, to]) => ({ cause, position: Number(position), from, to })),
  ),
);

it.each(phrases)('translates the value "$from" of $cause', ({ cause, position, from, to }) => {
  const values = ['1', '2', '3'];
  values[position] = from.replaceAll(/\{\d\}/g, '7');
  expect(explainInChinese(cause, buildEnglish(cause, values))).toContain(to.replaceAll(/\{\d\}/g, '7'));
});

it.each([' (and 1 more fault)', ' (and 7 more faults)', ' (and at least 9 more faults)'])('translates "%s"', (more) => {
  const explained = explainInChinese('field_invalid', buildMessage('field_invalid', 'a.b', `must be a number${more}`));
  expect(explained).toContain(more.match(/\d/)![0]);
  expect(explained?.replace('a.b', '')).not.toMatch(/[a-z]/i);
});

it('translates where a text is not JSON', () => {
  const texts = ['', '[', '{', '{5', '{"5"', '[5 5', '["\\5', '["\n', '[“', '{"5":5,5', '{"5":5,"5":5}'];
  const faults = texts.map((text) => findJsonFault(text)!);
  expect(faults.map((fault) => translate(fault, jsonFaultsInChinese)).join('')).not.toMatch(/[a-z]{2}/i);
});

it('translates the list of differences to the nearest product', () => {
  const message = buildMessage('product_not_found', '1', '2', '; the nearest one has 3, no 4, and 5');
  const explained = explainInChinese('product_not_found', message);
  expect(explained?.match(/\d/g)).toEqual(['1', '2', '3', '4', '5']);
  expect(explained).not.toMatch(/[a-z]/i);
});

it('translates what a field must be, wherever the contract says so', () => {
  const files = globSync(['packages/contract/src/*.ts', 'packages/contract/src/{assets,console,orders}/*.ts'], {
    cwd: REPOSITORY,
    exclude: ['**/causes.ts', '**/*.test.ts'],
  });
  const texts = files.flatMap((file) => [...readRepositoryFile(file).matchAll(/(['`])(is required|must .*?)\1/g)]);
  const ofCauses = CHINESE.flatMap(([cause]) => english[cause]!.message.match(/(?<=^\{0\}: )\w.*(?=\{1\}$)/) ?? []);
  const faults = texts.map(([, , text]) => text!.replaceAll(/\$\{.*?\}/g, '7'));
  expect(faults.length).toBeGreaterThan(30);
  expect([...faults, ...ofCauses].filter((fault) => translate(fault, fieldFaultsInChinese) === fault)).toEqual([]);
});

it('translates why an attempt to send a message failed', () => {
  const { explainStatus, explainError, ForbiddenAddress, ...texts } = FAULTS;
  const statuses = [500, 410, 302].map(explainStatus);
  const errors = ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', ''];
  const faults = [...statuses, ...errors.map((code) => explainError({ code })), ...Object.values(texts)];
  expect(faults.filter((fault) => translate(fault, faultsInChinese) === fault)).toEqual([]);
});

it('does not explain unknown causes', () => {
  expect(explainInChinese('constructor', 'x')).toBeUndefined();
  expect(explainInChinese(null, 'x')).toBeUndefined();
});

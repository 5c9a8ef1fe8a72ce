import { causesInChinese, explainInChinese, translateFault, wordsInChinese } from '@lockstep/console/words';
import { causes } from '@lockstep/contract/causes';
import { consoleCauses } from '@lockstep/contract/console';
import { english } from '@lockstep/contract/templates';
import { FAULTS } from '@lockstep/webhooks/testing';
import { describe, expect, it } from 'vitest';

const englishOf: Record<string, { message: string }> = { ...causes, ...consoleCauses };
const MESSAGE = 'The English message.';

/** The values and optional parts of a template. Chinese has more kinds of words, such as roles. */
const partsOf = (template: string) => [...new Set(template.match(/\{\d|\[(?=[^\]]*\{\d)/g))].sort();

describe.each(Object.entries(causesInChinese))('%s in Chinese', (cause, template) => {
  it('has the values of the English message', () => {
    expect(partsOf(template)).toEqual(partsOf(englishOf[cause]!.message));
  });

  it('quotes values as they are', () => {
    const args = ['{1}', '[{2}]', "$&'\n", '$1', '5'];
    const explained = explainInChinese({ cause, message: MESSAGE, args });
    for (const part of template.match(/\{\d\}/g) ?? []) expect(explained).toContain(args[Number(part[1])]);
  });

  it('says what it means without its values', () => {
    expect(explainInChinese({ cause, message: null })).not.toMatch(/[{}[\]]/);
  });
});

const WORDS = Object.entries(english).filter(([kind]) => kind in wordsInChinese);

it.each(WORDS)('has the words of the kind %s with their values', (kind, texts) => {
  const inChinese = wordsInChinese[kind as keyof typeof wordsInChinese] as Record<string, string>;
  for (const [word, text] of Object.entries(texts))
    expect([word, partsOf(inChinese[word]!)]).toEqual([word, partsOf(text)]);
});

it('explains what a field must be', () => {
  const args = ['name', 'length', '8', '32'];
  const explained = explainInChinese({ cause: 'field_invalid', message: MESSAGE, args })!;
  expect(explained.match(/\w+/g)).toEqual(['name', '8', '32']);
});

it('translates why an attempt to send a message failed', () => {
  const { explainStatus, explainError, ForbiddenAddress, ...texts } = FAULTS;
  const errors = ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', ''];
  for (const status of [500, 410, 302]) {
    const translated = translateFault(explainStatus(status), status);
    expect(translated).toContain(String(status));
    expect(translated).not.toContain('endpoint');
  }
  const faults = [...errors.map((code) => explainError({ code })), ...Object.values(texts)];
  expect(faults.filter((fault) => translateFault(fault, null) === fault)).toEqual([]);
});

it('does not explain unknown causes', () => {
  expect(explainInChinese({ cause: 'constructor', message: 'x' })).toBeUndefined();
  expect(explainInChinese({ cause: null, message: 'x' })).toBeUndefined();
});

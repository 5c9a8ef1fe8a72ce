import { describe, expect, it } from 'vitest';
import { preferredLanguage } from './language.ts';

describe('the preferred language', () => {
  it.each([
    ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
    ['en-US,en;q=0.9,zh;q=0.8', 'en'],
    ['de-DE,de;q=0.9,zh;q=0.5,en;q=0.4', 'zh'],
    ['en;q=0.1, zh;q=0.2', 'zh'],
    ['zh;q=0, en;q=0.1', 'en'],
    ['ZH-hant', 'zh'],
    ['fr', 'en'],
    ['*', 'en'],
    ['', 'en'],
    [undefined, 'en'],
    [',;q=,q=1;;', 'en'],
  ])('that says %j is %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});

import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { read } from '../harness/browser/pages.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';

/**
 * Comments and pages cite docs/rules.md and docs/interface.md by section: a reader must find there what a citation
 * names. Sections have numbers (rules) or an operation or a title (interface); rules of a section have names in bold.
 */

/** By number of a section, the names of its rules. */
const rules = new Map<string, string[]>();
for (const section of read('docs/rules.md').split(/^##+ /m).slice(1)) {
  const [, number] = /^(\d+(?:\.\d+)?)[. ]/.exec(section)!;
  rules.set(
    number!,
    [...section.matchAll(/^- \*\*(.+?)\.\*\*/gm)].map(([, name]) => name!),
  );
}
const operationsAndTitles = [...read('docs/interface.md').matchAll(/^##+ ([OM]\d+|.+)/gm)].map(([, title]) => title!);

const listOf = (item: string) => `${item}(?:(?:, | and | to | or )${item})*`;
const RULES = new RegExp(`\\brules (${listOf(String.raw`\d+(?:\.\d+)?`)})`, 'g');
const NAMED_RULE = /[(;] ?rules (\d+(?:\.\d+)?) (?!and |to |or )([^;()]+)/g;
const OPERATIONS = new RegExp(`\\binterface (${listOf(String.raw`[OM]\d+`)})`, 'g');
/** Neither an operation nor TypeScript's word. */
const TITLE = /\binterface (?![OM]\d|\w+(?:<[^>]*>)? (?:\{|extends))([A-Z][\w ]+)/g;
/** What comments cited before these pages were here. */
const FORMER = /\bdecisions(?:\.md)? \d[\d.]*|\bdecisions\.md|(?<!docs\/|\]\()\binterface\.md/g;

/** A text on one line, without what its comments begin their lines with. */
const joinLines = (text: string) => text.replace(/[ \t]*\n[ \t]*(?:\*|\/\/|--)?[ \t]*/g, ' ');

/** What a source text has between double quotes: in our code only comments have any. */
const quotesIn = (text: string) => [...joinLines(text).matchAll(/"([^"]+)"/g)].map(([, quote]) => quote!);

/** The citations in a text that lead nowhere. */
function deadCitationsIn(text: string): string[] {
  const plain = joinLines(text);
  const cited = (pattern: RegExp) => [...plain.matchAll(pattern)];
  const items = (list: string) => list.split(/, | and | to | or /);
  return [
    ...cited(RULES).filter(([, numbers]) => items(numbers!).some((number) => !rules.has(number))),
    ...cited(NAMED_RULE).filter(([, number, name]) => !rules.get(number!)?.includes(name!.trim())),
    ...cited(OPERATIONS).filter(([, ids]) => items(ids!).some((id) => !operationsAndTitles.includes(id))),
    ...cited(TITLE).filter(([, words]) => !operationsAndTitles.some((title) => `${words} `.startsWith(`${title} `))),
    ...cited(FORMER),
  ].map(([citation]) => citation);
}

describe('citations of the rules and the interface', () => {
  const files = globSync('**/*.{ts,sql,grit,md}', {
    cwd: REPOSITORY,
    exclude: (path) => /(^|\/)(node_modules|\..*)$/.test(path),
  }).filter((file) => !file.endsWith('citations.test.ts'));

  it('lead somewhere, in every file', () => {
    expect(files.length).toBeGreaterThan(300);
    const dead = files.flatMap((file) => deadCitationsIn(read(file)).map((citation) => `${file}: ${citation}`));
    expect(dead).toEqual([]);
  });

  it('quote the rules in their own words, in the model of them', () => {
    const words = read('docs/rules.md').replaceAll('**', '').replace(/\s+/g, ' ');
    const quoted = ['model', 'acts', 'asset-lists', 'told'].flatMap((room) => quotesIn(read(`test/model/${room}.ts`)));
    expect(quoted.length).toBeGreaterThan(20);
    expect(quoted.filter((quote) => !words.includes(quote))).toEqual([]);
  });
});

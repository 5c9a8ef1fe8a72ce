import { readConfig } from '@lockstep/config';
import { afterAll, describe, expect, it } from 'vitest';
import { blocksOf, code, read } from '../harness/browser/pages.ts';
import {
  type Ended,
  endEverything,
  newDataDir,
  npmStart,
  type RunningStack,
  runJob,
} from '../harness/processes/processes.ts';

/** The commands and the output of a page, in its order. */
function readSession(page: string): { commands: string[]; output: string } {
  const blocks = [...read(page).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text }));
  const pick = (...languages: string[]) =>
    blocks.filter(({ language }) => languages.includes(language!)).map(({ text }) => text!);
  return { commands: pick('sh'), output: pick('json', 'text').join('') };
}

/** Returns lines of output without the layout of JSON and tables, and without times, ids, codes and passwords. */
function normalized(output: string): string[] {
  return output
    .replace(/^\{\n.*?^\}$/gms, (json) => JSON.stringify(JSON.parse(json)))
    .replace(/^\{.*\}$/gm, (json) => JSON.stringify(JSON.parse(json)))
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+\d\d:\d\d/g, 'TIME')
    .replace(/\b\d{4,7}\b/g, 'ID')
    .replace(/@[a-z0-9]{8}"/g, '@CODE"')
    .replace(/"password":".*?"/g, '"password":"PASSWORD"')
    .replace(/ +/g, ' ')
    .split('\n');
}

const README = readSession('README.md');
const TUTORIAL = readSession('docs/tutorial.md');
const [first, mixed] = README.commands.filter((command) => !command.includes('npm ci'));

const [fresh, used, other] = await Promise.all([1, 2, 3].map(() => npmStart(newDataDir())));
afterAll(endEverything);

/** Runs commands in one shell, beside a service. */
const run = ({ dataDir }: RunningStack, commands: string[]): Promise<Ended> =>
  runJob(['bash', '-euo', 'pipefail', '-c', commands.join('')], { DATA_DIR: dataDir });

describe('README.md', () => {
  it('shows the outcome of the batch that it sends', async () => {
    expect(await run(used!, [first!])).toMatchObject({ status: 0, stderr: '', stdout: README.output });
  });

  it('names the last line of the batch to send next, of which orders fail', async () => {
    const { status, stdout } = await run(used!, [mixed!]);
    expect(status).toBe(0);
    expect(read('README.md')).toContain(code(stdout.trimEnd().split('\n').at(-1)!));
  });

  it('names the ready line, on the default port', () => {
    const line = fresh!.job.output.stdout.trimEnd().split('\n').at(-1)!;
    const { PORT } = readConfig({});
    expect(read('README.md')).toContain(code(line.replace(/:\d+$/, `:${PORT}`)));
  });
});

describe('docs/tutorial.md', () => {
  it.concurrent.each([
    ['before any other batch', fresh!],
    ['after the batches of README.md', used!],
  ])('shows what its commands print, %s', async (_, stack) => {
    const { status, stdout, stderr } = await run(stack, TUTORIAL.commands);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(normalized(stdout)).toEqual(normalized(TUTORIAL.output));
  });

  it('takes few minutes to read', () => {
    expect(read('docs/tutorial.md').split(/\s+/).length).toBeLessThan(1_000);
  });
});

describe('docs/integrating.md', () => {
  /** Words of messages can change; codes, causes and paths cannot. */
  const withoutMessages = (text: string) => JSON.parse(text.replace(/"message": ?"[^"]*"/g, '"message":""')) as unknown;

  it('shows the answers of its session, which ends with a successful call of the member center', async () => {
    const session = await run(other!, blocksOf('docs/integrating.md', 'sh'));
    expect(session).toMatchObject({ status: 0, stderr: '' });
    const answers = session.stdout.match(/^\{\n.*?^\}$/gms) ?? [];
    const shown = blocksOf('docs/integrating.md', 'json');
    expect(shown.length).toBe(2);
    expect(answers.map(withoutMessages)).toEqual(shown.map(withoutMessages));
    expect(session.stdout.trimEnd().split('\n').at(-1)).toBe('0');
  });
});

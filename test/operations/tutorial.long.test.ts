import { readConfig } from '@lockstep/config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, code, read } from '../harness/browser/pages.ts';
import { tableIn } from '../harness/processes/command-line.ts';
import {
  type Ended,
  endEverything,
  newDataDir,
  npmStart,
  type RunningStack,
  runJob,
} from '../harness/processes/processes.ts';

/** Stands between the pages in the output of the whole session. */
const NEXT_PAGE = 'the next page goes on';

/** Parts of an answer that differ each time: times, ids of calls, product instances and assets, enterprise codes. */
function masked(text: string): string {
  return text
    .replace(/: \d{13}\b/g, ': 0')
    .replace(/"(id|assetId|assetInsId)": "\d+"/g, '"$1": "0"')
    .replace(/"requestId": "[\w-]+"/g, '"requestId": "id"')
    .replace(/@[a-z0-9]{8}"/g, '@code"');
}

describe('the session of README.md and docs/tutorial.md', () => {
  const begin = blocksOf('README.md', 'sh').filter((block) => !block.includes('npm ci'));
  const session = blocksOf('docs/tutorial.md', 'sh');
  /** The part of the session before the member center: orders only. */
  const ordering = session.slice(
    0,
    session.findIndex((block) => block.startsWith('created=')),
  );
  let stack: RunningStack;
  let whole: Ended;
  let [first, inTutorial] = ['', ''];

  // The session reads from DATA_DIR where the service is.
  const run = (blocks: string[]) =>
    runJob(['bash', '-euo', 'pipefail', '-c', blocks.join('\n')], { DATA_DIR: stack.dataDir });

  beforeAll(async () => {
    stack = await npmStart(newDataDir());
    const goesOn = `echo ${NEXT_PAGE}`;
    whole = await run([...begin, goesOn, ...session]);
    [first = '', inTutorial = ''] = whole.stdout.split(`${NEXT_PAGE}\n`);
  });
  afterAll(endEverything);

  const answersIn = (stdout: string) =>
    [...masked(stdout).matchAll(/^\{\n.*?^\}$/gms)].map(([text]) => JSON.parse(text) as unknown);
  const answersShownIn = (page: string) => blocksOf(page, 'json').map((text) => JSON.parse(masked(text)) as unknown);

  it('begins with the outcome that README.md shows', () => {
    expect(whole).toMatchObject({ status: 0, stderr: '' });
    expect(blocksOf('README.md', 'text')[0]).toBe(first);
  });

  it('gives the answers that docs/tutorial.md shows', () => {
    expect(answersIn(inTutorial)).toEqual(answersShownIn('docs/tutorial.md'));
    expect(answersShownIn('docs/tutorial.md').length).toBe(13);
  });

  it('applies the examples', () => {
    expect(first).toContain('2 succeeded, 0 failed');
    expect(inTutorial).toContain('13 succeeded, 3 failed');
  });

  it('shows what became of the orders in tables', () => {
    expect(tableIn(inTutorial, 'accepted')).toMatchObject([{ channel: 'demo', batch: 'DEMO-2026-0002', failed: '3' }]);
    expect(tableIn(inTutorial, 'time').map(({ action }) => action)).toEqual(['product_bought', 'created']);
  });

  it('may be repeated; only the preview finds the product gone', async () => {
    const again = await run(ordering);
    expect(again.status).toBe(0);
    expect(again.stdout).toContain('"nearest": []');
    const withoutNearest = (stdout: string) =>
      stdout.replace(/"nearest": \[.*?^ {6}\]/ms, '"nearest": []').replace(/;[^;"]* limitConcurrent 1\.",/, '.",');
    expect(again.stdout).not.toBe('');
    expect(withoutNearest(inTutorial).startsWith(again.stdout)).toBe(true);
  });

  it('is followed by the ready line that README.md names, on the default port', () => {
    const line = stack.job.output.stdout.trimEnd().split('\n').at(-1)!;
    const { PORT } = readConfig({});
    expect(read('README.md')).toContain(code(line.replace(/:\d+$/, `:${PORT}`)));
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../harness/browser/pages.ts';
import { type Ended, endEverything, newDataDir, npmStart, runJob } from '../harness/processes/processes.ts';

describe('the session of docs/integrating.md', () => {
  let session: Ended;

  beforeAll(async () => {
    const { dataDir } = await npmStart(newDataDir());
    const script = blocksOf('docs/integrating.md', 'sh').join('\n');
    session = await runJob(['bash', '-euo', 'pipefail', '-c', script], { DATA_DIR: dataDir });
  });
  afterAll(endEverything);

  /** Words of messages can change; codes, causes and paths cannot. */
  const withoutMessages = (text: string) => JSON.parse(text.replace(/"message": ?"[^"]*"/g, '"message":""')) as unknown;

  it('gives the answers that the page shows', () => {
    expect(session).toMatchObject({ status: 0, stderr: '' });
    const answers = session.stdout.match(/^\{\n.*?^\}$/gms) ?? [];
    const shown = blocksOf('docs/integrating.md', 'json');
    expect(shown.length).toBe(2);
    expect(answers.map(withoutMessages)).toEqual(shown.map(withoutMessages));
  });

  it('ends with a successful call of the member center', () => {
    expect(session.stdout.trimEnd().split('\n').at(-1)).toBe('0');
  });
});

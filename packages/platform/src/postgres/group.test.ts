import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { Group, type GroupOptions } from './group.ts';

/** A group of texts. The test ends each run; a run returns its inputs in upper case. */
function newGroup(options: Partial<GroupOptions<string, string>> = {}) {
  const runs: { inputs: string[]; end: () => void; fail: (error: Error) => void }[] = [];
  const group = new Group<string, string>({
    maxRunning: 1,
    maxInputs: 100,
    run: (inputs) =>
      new Promise((resolve, reject) => {
        runs.push({ inputs, end: () => resolve(inputs.map((input) => input.toUpperCase())), fail: reject });
      }),
    ...options,
  });
  return {
    /** Runs inputs. Returns the outcome of each. */
    run: (...inputs: string[]) => Promise.allSettled(inputs.map((input) => group.run(input))),
    /** The inputs of each run that has started. */
    begun: () => runs.map(({ inputs }) => inputs.join('')),
    /** Ends the nth run. Resolves when its outputs have been delivered and the next runs have started. */
    end: (nth: number) => settled(() => runs[nth]!.end()),
    fail: (nth: number, error: Error) => settled(() => runs[nth]!.fail(error)),
  };
}

/** An error by which PostgreSQL refuses the content of a statement. */
function dataFault(message: string): Error {
  return Object.assign(new pg.DatabaseError(message, 0, 'error'), { code: '22021' });
}

/** Waits for everything that `act` has started. */
async function settled(act: () => void): Promise<void> {
  act();
  await new Promise((resolve) => setImmediate(resolve));
}

it('leaves out inputs whose callers have left', async () => {
  const over = new Set<string>();
  const { run, begun, end } = newGroup({ isOver: (input) => over.has(input) });
  const first = run('a');
  const later = run('b', 'c');
  over.add('b');
  await end(0);
  expect(begun()).toEqual(['a', 'c']);
  await end(1);
  await first;
  expect((await later).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

it('gathers what comes in one turn, if it should', async () => {
  const { run, begun, end } = newGroup({ gathers: true });
  void run('a', 'b');
  expect(begun()).toEqual([]);
  await settled(() => void run('c'));
  expect(begun()).toEqual(['abc']);
  await settled(() => void run('d', 'e'));
  await end(0);
  await settled(() => {});
  expect(begun()).toEqual(['abc', 'de']);
});

describe('inputs that need something', () => {
  /** A group whose inputs need their letters as resources. */
  const newNeedyGroup = () => newGroup({ maxRunning: 2, needsOf: (input) => [...input] });

  it('wait for a group that needs the same, and no other input waits for them', async () => {
    const { run, begun, end } = newNeedyGroup();
    void run('a', 'a', 'a', 'b');
    expect(begun()).toEqual(['a', 'b']);
    void run('c');
    await end(1);
    expect(begun()).toEqual(['a', 'b', 'c']);
    await end(0);
    expect(begun()).toEqual(['a', 'b', 'c', 'aa']);
  });

  it('share a group if no group that runs has what they need', async () => {
    const { run, begun, end } = newNeedyGroup();
    void run('a', 'b', 'ac', 'd', 'c', 'b');
    await end(0);
    expect(begun()).toEqual(['a', 'b', 'acdc']);
    await end(1);
    expect(begun()).toEqual(['a', 'b', 'acdc', 'b']);
  });

  it('are not overtaken by inputs that need a part of what they wait for', async () => {
    const { run, begun, end } = newNeedyGroup();
    void run('a');
    void run('ab');
    void run('b');
    expect(begun()).toEqual(['a']);
    await end(0);
    expect(begun()).toEqual(['a', 'abb']);
  });
});

describe('grouping', () => {
  it('runs a lone input at once', async () => {
    const { run, begun, end } = newGroup();
    const output = run('a');
    expect(begun()).toEqual(['a']);
    await end(0);
    expect(await output).toMatchObject([{ value: 'A' }]);
  });

  it('collects the inputs that come while a group runs', async () => {
    const { run, begun, end } = newGroup();
    void run('a', 'b', 'c');
    expect(begun()).toEqual(['a']);
    await end(0);
    void run('d');
    expect(begun()).toEqual(['a', 'bc']);
    await end(1);
    expect(begun()).toEqual(['a', 'bc', 'd']);
    await end(2);
    expect(begun()).toEqual(['a', 'bc', 'd']);
  });

  it('runs as many groups at once as it may', async () => {
    const { run, begun, end } = newGroup({ maxRunning: 2 });
    void run('a', 'b', 'c', 'd');
    expect(begun()).toEqual(['a', 'b']);
    await end(1);
    void run('e');
    expect(begun()).toEqual(['a', 'b', 'cd']);
    await end(0);
    expect(begun()).toEqual(['a', 'b', 'cd', 'e']);
  });

  it('gives every caller the output of its own input', async () => {
    const { run, end } = newGroup();
    const outputs = run('a', 'b', 'c', 'b');
    await end(0);
    await end(1);
    expect(await outputs).toMatchObject([{ value: 'A' }, { value: 'B' }, { value: 'C' }, { value: 'B' }]);
  });
});

describe('limits', () => {
  it('takes maxInputs at most', async () => {
    const { run, begun, end } = newGroup({ maxInputs: 2 });
    void run('a', 'b', 'c', 'd');
    await end(0);
    await end(1);
    expect(begun()).toEqual(['a', 'bc', 'd']);
  });

  it('takes maxWeight at most, and fills up with inputs that still fit', async () => {
    const { run, begun, end } = newGroup({ weightOf: Number, maxWeight: 5 });
    void run('0', '2', '4', '3', '1');
    await end(0);
    await end(1);
    await end(2);
    expect(begun()).toEqual(['0', '23', '41']);
  });

  it('runs an input that is too heavy alone, in its turn', async () => {
    const { run, begun, end } = newGroup({ weightOf: Number, maxWeight: 5 });
    void run('0', '1', '9', '2', '3');
    await end(0);
    await end(1);
    await end(2);
    expect(begun()).toEqual(['0', '12', '9', '3']);
  });

  it('gives its places to the parties in turn, each in the order of its inputs', async () => {
    const { run, begun, end } = newGroup({ maxInputs: 3, partyOf: (input) => input.toLowerCase() });
    void run('x', 'a', 'A', 'a', 'A', 'b', 'B');
    await end(0);
    await end(1);
    expect(begun()).toEqual(['x', 'abA', 'BaA']);
  });

  it('never puts two inputs of one key into a group', async () => {
    const { run, begun, end } = newGroup({ keyOf: (input) => input.toLowerCase() });
    void run('x', 'a', 'b', 'A', 'a', 'c');
    await end(0);
    await end(1);
    await end(2);
    expect(begun()).toEqual(['x', 'abc', 'A', 'a']);
  });
});

describe('a failing group', () => {
  it('runs again one by one when its content is refused, so that each input gets its own output or failure', async () => {
    const { run, begun, end, fail } = newGroup();
    const outputs = run('x', 'a', 'b', 'c');
    await end(0);
    await fail(1, dataFault('b is bad'));
    expect(begun()).toEqual(['x', 'abc', 'a']);
    await end(2);
    await fail(3, dataFault('b is bad alone'));
    await end(4);
    expect(begun()).toEqual(['x', 'abc', 'a', 'b', 'c']);
    expect(await outputs).toMatchObject([
      { value: 'X' },
      { value: 'A' },
      { reason: { message: 'b is bad alone' } },
      { value: 'C' },
    ]);
  });

  it('runs one by one for the failures that splitsOn names, and for no others', async () => {
    const failWith = async (error: Error) => {
      const { run, begun, end, fail } = newGroup({ splitsOn: (error) => (error as Error).message === 'splits' });
      const outputs = run('x', 'a', 'b');
      await end(0);
      await fail(1, error);
      const isSplit = begun().length > 2;
      if (isSplit) await fail(2, error);
      if (isSplit) await end(3);
      return { begun: begun(), outputs: await outputs };
    };
    expect(await failWith(new Error('splits'))).toMatchObject({
      begun: ['x', 'ab', 'a', 'b'],
      outputs: [{ value: 'X' }, { reason: { message: 'splits' } }, { value: 'B' }],
    });
    expect(await failWith(dataFault('bad'))).toMatchObject({
      begun: ['x', 'ab'],
      outputs: [{ value: 'X' }, { reason: { message: 'bad' } }, { reason: { message: 'bad' } }],
    });
  });

  it('of one input does not run again, whatever splitsOn says', async () => {
    const { run, begun, fail } = newGroup({ splitsOn: () => true });
    const outputs = run('a');
    await fail(0, new Error('bad'));
    expect(await outputs).toMatchObject([{ reason: { message: 'bad' } }]);
    expect(begun()).toEqual(['a']);
  });

  it('that cannot reach PostgreSQL fails at once for all inputs', async () => {
    const { run, begun, end, fail } = newGroup();
    const outputs = run('x', 'a', 'b');
    await end(0);
    await fail(1, new Error('Connection terminated'));
    expect((await outputs).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(begun()).toEqual(['x', 'ab']);
  });

  it('of one input fails at once', async () => {
    const { run, begun, fail } = newGroup();
    const outputs = run('a');
    await fail(0, new Error('down'));
    expect(await outputs).toMatchObject([{ reason: { message: 'down' } }]);
    expect(begun()).toEqual(['a']);
  });

  it('keeps its place until the last of its inputs is done; then the next group runs', async () => {
    const { run, begun, end, fail } = newGroup();
    const outputs = run('x', 'a', 'b', 'c');
    await end(0);
    void run('d');
    for (const nth of [1, 2, 3]) await fail(nth, dataFault('bad'));
    expect(begun()).toEqual(['x', 'abc', 'a', 'b', 'c']);
    await fail(4, dataFault('bad'));
    expect(begun().at(-1)).toBe('d');
    expect((await outputs).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
  });

  it('may fail by a synchronous throw', async () => {
    const group = new Group<string, string>({
      maxRunning: 1,
      maxInputs: 1,
      run: () => {
        throw new Error('thrown');
      },
    });
    await expect(group.run('a')).rejects.toThrow('thrown');
    await expect(group.run('b')).rejects.toThrow('thrown');
  });
});

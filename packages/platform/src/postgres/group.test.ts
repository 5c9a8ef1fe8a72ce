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
    /** Runs inputs that arrive together. Resolves when their group has started, to a function that returns outcomes. */
    async run(...inputs: string[]) {
      const outcomes = Promise.allSettled(inputs.map((input) => group.run(input)));
      await settled(() => {});
      return () => outcomes;
    },
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
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

it('leaves out inputs whose callers have left', async () => {
  const over = new Set<string>();
  const { run, begun, end } = newGroup({ isOver: (input) => over.has(input) });
  const first = await run('a');
  const later = await run('b', 'c');
  over.add('b');
  await end(0);
  expect(begun()).toEqual(['a', 'c']);
  await end(1);
  await first();
  expect((await later()).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

describe('inputs that need something', () => {
  /** A group whose inputs need their letters as resources. */
  const newNeedyGroup = () => newGroup({ maxRunning: 2, needsOf: (input) => [...input] });

  it('wait for a group that needs the same, and no other input waits for them', async () => {
    const { run, begun, end } = newNeedyGroup();
    await run('a');
    await run('a', 'a', 'b');
    expect(begun()).toEqual(['a', 'b']);
    await run('c');
    await end(1);
    expect(begun()).toEqual(['a', 'b', 'c']);
    await end(0);
    expect(begun()).toEqual(['a', 'b', 'c', 'aa']);
  });

  it('share a group if no group that runs has what they need', async () => {
    const { run, begun, end } = newNeedyGroup();
    await run('a');
    await run('b');
    await run('ac', 'd', 'c', 'b');
    await end(0);
    expect(begun()).toEqual(['a', 'b', 'acdc']);
    await end(1);
    expect(begun()).toEqual(['a', 'b', 'acdc', 'b']);
  });

  it('are not overtaken by inputs that need a part of what they wait for', async () => {
    const { run, begun, end } = newNeedyGroup();
    for (const input of ['a', 'ab', 'b']) await run(input);
    expect(begun()).toEqual(['a']);
    await end(0);
    expect(begun()).toEqual(['a', 'abb']);
  });
});

describe('grouping', () => {
  it('collects the inputs that arrive together', async () => {
    const { run, begun, end } = newGroup();
    const first = run('a', 'b');
    const outputs = await run('c');
    expect(begun()).toEqual(['abc']);
    await end(0);
    expect(await (await first)()).toMatchObject([{ value: 'A' }, { value: 'B' }]);
    expect(await outputs()).toMatchObject([{ value: 'C' }]);
  });

  it('collects the inputs that come while a group runs', async () => {
    const { run, begun, end } = newGroup();
    await run('a');
    for (const input of ['b', 'c']) await run(input);
    expect(begun()).toEqual(['a']);
    const ended = end(0);
    void run('d');
    await ended;
    expect(begun()).toEqual(['a', 'bcd']);
    await end(1);
    expect(begun()).toEqual(['a', 'bcd']);
  });

  it('runs as many groups at once as it may', async () => {
    const { run, begun, end } = newGroup({ maxRunning: 2 });
    for (const input of ['a', 'b', 'c', 'd']) await run(input);
    expect(begun()).toEqual(['a', 'b']);
    await end(1);
    await run('e');
    expect(begun()).toEqual(['a', 'b', 'cd']);
    await end(0);
    expect(begun()).toEqual(['a', 'b', 'cd', 'e']);
  });
});

describe('limits', () => {
  /** Runs all groups of inputs that arrive together. Returns the inputs of each. */
  async function groupsOf(options: Partial<GroupOptions<string, string>>, ...inputs: string[]): Promise<string[]> {
    const { run, begun, end } = newGroup(options);
    const outcomes = await run(...inputs);
    for (let nth = 0; nth < begun().length; nth++) await end(nth);
    await outcomes();
    return begun();
  }

  const byWeight = { weightOf: Number, maxWeight: 5 };

  it.each<[what: string, options: Partial<GroupOptions<string, string>>, inputs: string[], groups: string[]]>([
    ['takes maxInputs at most', { maxInputs: 2 }, ['a', 'b', 'c'], ['ab', 'c']],
    ['takes maxWeight at most, and fills up with inputs that still fit', byWeight, ['2', '4', '3', '1'], ['23', '41']],
    ['runs an input that is too heavy alone, in its turn', byWeight, ['1', '9', '2', '3'], ['12', '9', '3']],
    [
      'gives its places to the parties in turn, each in the order of its inputs',
      { maxInputs: 3, partyOf: (input) => input.toLowerCase() },
      ['a', 'A', 'a', 'A', 'b', 'B'],
      ['abA', 'BaA'],
    ],
    [
      'never puts two inputs of one key into a group',
      { keyOf: (input) => input.toLowerCase() },
      ['a', 'b', 'A', 'a', 'c'],
      ['abc', 'A', 'a'],
    ],
  ])('%s', async (_, options, inputs, groups) => expect(await groupsOf(options, ...inputs)).toEqual(groups));
});

describe('a failing group', () => {
  it('runs again one by one when its content is refused, so that each input gets its own output or failure', async () => {
    const { run, begun, end, fail } = newGroup();
    const outputs = await run('a', 'b', 'c');
    await fail(0, dataFault('b is bad'));
    expect(begun()).toEqual(['abc', 'a']);
    await end(1);
    await fail(2, dataFault('b is bad alone'));
    await end(3);
    expect(begun()).toEqual(['abc', 'a', 'b', 'c']);
    expect(await outputs()).toMatchObject([{ value: 'A' }, { reason: { message: 'b is bad alone' } }, { value: 'C' }]);
  });

  it('that cannot reach PostgreSQL fails at once for all inputs', async () => {
    const { run, begun, fail } = newGroup();
    const outputs = await run('a', 'b');
    await fail(0, new Error('Connection terminated'));
    expect((await outputs()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(begun()).toEqual(['ab']);
  });

  it('of one input fails at once', async () => {
    const { run, begun, fail } = newGroup();
    const outputs = await run('a');
    await fail(0, dataFault('bad'));
    expect(await outputs()).toMatchObject([{ reason: { message: 'bad' } }]);
    expect(begun()).toEqual(['a']);
  });

  it('keeps its place until the last of its inputs is done; then the next group runs', async () => {
    const { run, begun, fail } = newGroup();
    const outputs = await run('a', 'b', 'c');
    await run('d');
    for (const nth of [0, 1, 2]) await fail(nth, dataFault('bad'));
    expect(begun()).toEqual(['abc', 'a', 'b', 'c']);
    await fail(3, dataFault('bad'));
    expect(begun().at(-1)).toBe('d');
    expect((await outputs()).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
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

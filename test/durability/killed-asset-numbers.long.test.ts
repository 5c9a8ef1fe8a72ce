import { describe, expect, it } from 'vitest';
import { countHandedOut, numbersFrom, take } from '../harness/orders/asset-numbers.ts';
import { testDeployment } from '../harness/processes/deployment.ts';

describe('O9 of two api processes, overseas, killed in turn', async () => {
  const CALLERS = 8;
  const CALLS_BETWEEN_KILLS = 50;
  const KILLS = 2;
  const { database, processes, apis } = await testDeployment({ apis: 2, workers: 0, env: { REGION: 'overseas' } });

  it('reserves no number twice, before and after the restarts', async () => {
    const answers: string[][] = [];
    let broken = 0;
    let kills = 0;
    let restarting = Promise.resolve();
    const isOver = () => kills === KILLS && answers.length >= CALLS_BETWEEN_KILLS * (KILLS + 1);

    const killOne = async () => {
      const victim = processes[kills++ % 2]!;
      await victim.kill();
      await victim.start();
    };
    /** Calls the APIs in turn until the test is over. A broken call waits for the restart. */
    const call = async (caller: number) => {
      for (let turn = caller; !isOver(); turn++) {
        try {
          answers.push(await take(apis[turn % 2]!, 1 + (turn % 40)));
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          broken++;
          await restarting;
          continue;
        }
        if (answers.length % CALLS_BETWEEN_KILLS === 0) {
          restarting = restarting.then(() => (kills < KILLS ? killOne() : undefined));
        }
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
    await restarting;
    expect(kills).toBe(KILLS);
    expect(broken).toBeGreaterThan(0);

    // One more call, after all processes were killed at once.
    await Promise.all(processes.map((each) => each.kill()));
    await Promise.all(processes.map((each) => each.start()));
    const highest = Math.max(...answers.flat().map(Number));
    const [lowest] = await take(apis[0]!, 5);
    expect(Number(lowest)).toBeGreaterThan(highest);

    for (const numbers of answers) {
      expect(numbers).toEqual(numbersFrom('6', Number(numbers[0]!.slice(1)), numbers.length));
    }
    const given = answers.flat();
    expect(new Set(given).size).toBe(given.length);
    // Gaps come from broken calls, each of at most 40 numbers.
    const gap = (await countHandedOut(database.db, 6)) - given.length - 5;
    expect(gap).toBeGreaterThanOrEqual(0);
    expect(gap).toBeLessThanOrEqual(broken * 40);
  });
});

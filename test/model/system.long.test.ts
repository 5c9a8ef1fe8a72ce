import { afterAll, describe, expect, it } from 'vitest';
import type { Api } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { QUEUE_KINDS, type Stack, startStack } from '../harness/stack.ts';
import { assertAtOnce } from './assert-at-once.ts';
import { compareHistories } from './asset-history.ts';
import { compareLists } from './asset-lists.ts';
import { budget } from './budget.ts';
import { compareHoldings } from './compare-holdings.ts';
import { type Counts, drive } from './driver.ts';
import { expectSame } from './expect-same.ts';
import { histories } from './histories.ts';
import type { History } from './history.ts';
import { sortedLedger } from './ledger-value.ts';
import { compareSeats } from './seats.ts';
import { readLedger } from './stored-ledger.ts';
import { compareEndings, compareTold, type Ended } from './told.ts';
import { newWorlds, openPlace, type World } from './world.ts';

const HISTORIES = 80;
/** Concurrent histories on one stack. */
const AT_ONCE = 16;
/** Histories for each stack, so that its tables stay small. */
const ROUND = 400;
const history = histories({ maxBatches: 8, maxOrders: 16 });

describe.each([...QUEUE_KINDS.map((queue) => ({ queue, workers: 1 })), { queue: QUEUE_KINDS[0], workers: 4 }])(
  'the service on $queue with $workers workers',
  ({ queue, workers }) => {
    let stack: Stack | undefined;
    let api: Api;
    let worlds: World[];
    const ended: Ended[] = [];
    afterAll(() => stack?.close());

    async function startRound(): Promise<void> {
      await endRound();
      const started = await startStack({ queue, worker: false });
      stack = started;
      await Promise.all(Array.from({ length: workers }, () => started.startWorker()));
      api = await stack.newApi();
      worlds = await newWorlds(stack.db, ROUND);
    }

    async function endRound(): Promise<void> {
      if (stack === undefined) return;
      await compareEndings(stack.db, api, ended.splice(0));
      expect(await checkNumbers(stack.db)).toEqual([]);
      await stack.close();
      stack = undefined;
    }

    const driven: Counts[] = [];
    const total = (count: (each: Counts) => number) => driven.reduce((sum, each) => sum + count(each), 0);

    /** Runs a history and compares all answers and stored data with the model. */
    async function compare(each: History): Promise<void> {
      const { db } = stack!;
      const world = worlds.pop() ?? (await newWorlds(db, 1))[0]!;
      const place = await openPlace(stack!, api, world);
      const { model, sent, ...counts } = await drive(place, each);
      expectSame(
        'the final ledger',
        sortedLedger(await readLedger(db, world.numberPrefix)),
        sortedLedger(model.assets),
      );
      // Histories come from the ledger and don't depend on the queue.
      if (queue === QUEUE_KINDS[0] && workers === 1) {
        await compareHistories(api, model.happenings);
        await compareHoldings(place, model);
        await compareSeats(place, model);
        await compareLists({ db, api, numberPrefix: world.numberPrefix }, model);
      }
      ended.push({ place, history: each, model, sent });
      await compareTold(ended.at(-1)!);
      driven.push(counts);
    }

    it('agrees with the model on any history', { timeout: 36_000_000 }, async () => {
      const rounds = { runs: ROUND, start: startRound };
      await assertAtOnce(history, compare, { ...budget(HISTORIES), atOnce: AT_ONCE, rounds });
      await endRound();

      const [batches, orders] = [total((each) => each.batches), total((each) => each.orders)];
      process.stderr.write(
        `${queue}: ${driven.length} histories, ${batches} batches, ${orders} orders agree with the model\n`,
      );
      // A full run must have covered these cases; a replay need not.
      if (driven.length < HISTORIES) return;
      expect(total((each) => each.failedSyncCalls)).toBeGreaterThan(0);
      expect(total((each) => each.sharedNumbers)).toBeGreaterThan(0);
      expect(total((each) => each.syncCallsBehindAsync)).toBeGreaterThan(0);
      expect(total((each) => each.waited)).toBeGreaterThan(0);
      expect(total((each) => each.pausedSyncCalls)).toBeGreaterThan(0);
      expect(total((each) => each.races)).toBeGreaterThan(0);
    });
  },
);

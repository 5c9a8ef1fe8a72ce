import { CALL_KINDS } from '../load/neighbor-calls.ts';
import { peers } from '../peers/peers.ts';
import { alignColumns, type Results } from './results.ts';

/** A ratio of two measures of one run, and what it is to be. */
interface Ratio {
  name: string;
  goal: number;
  /** Whether it is to be at most the goal, and not at least. */
  isAtMost?: boolean;
  /** Undefined when one of the measures was not taken. */
  read: (results: Results) => number | undefined;
}

const RATE = 'orders/s';
const peerNames = Object.keys(peers);

const RATIOS: Ratio[] = [
  {
    name: 'HTTP to applied, batches of 100 ÷ bare floor by unnest',
    goal: 0.5,
    read: (results) => divide(results.median('async-100x8', RATE), results.median('floor-unnest', RATE, 'yardstick')),
  },
  {
    name: 'the same ÷ bare floor by COPY',
    goal: 0.5,
    read: (results) => divide(results.median('async-100x8', RATE), results.median('floor-copy', RATE, 'yardstick')),
  },
  {
    name: 'the same ÷ the best peer, bare',
    goal: 10,
    read: (results) => divide(results.median('async-100x8', RATE), best(results, '')),
  },
  {
    name: 'the same ÷ the best peer over the same HTTP',
    goal: 15,
    read: (results) => divide(results.median('async-100x8', RATE), best(results, '-http-100x8')),
  },
  {
    name: 'backlog drained by four workers ÷ by one',
    goal: 0.95,
    read: (results) =>
      divide(results.median('backlog-workers4', 'drained/s'), results.median('backlog-workers1', 'drained/s')),
  },
  {
    name: 'single orders accepted beside a backlog, four workers ÷ without one',
    goal: 0.3,
    read: (results) => results.median('singles-beside-backlog', 'accepted ÷ idle'),
  },
  {
    name: 'backlog drained beside a neighbor ÷ without one',
    goal: 0.95,
    read: (results) => results.median('fairness', 'backlog ÷ alone'),
  },
  {
    name: 'backlog drained beside a neighbor ÷ without one, on the processors that it leaves',
    goal: 0.95,
    read: (results) => results.median('fairness', 'backlog ÷ alone on what the neighbor leaves'),
  },
  ...CALL_KINDS.flatMap((kind) => [
    {
      name: `${kind} beside a backlog, p95 ÷ (3 idle + one drain)`,
      goal: 1,
      isAtMost: true,
      read: (results: Results) => results.median('fairness', `${kind} p95 ÷ (3 idle + one drain)`),
    },
    {
      name: `${kind} beside a backlog, longest ÷ drain time`,
      goal: 0.02,
      isAtMost: true,
      read: (results: Results) => results.median('fairness', `${kind} longest ÷ drain time`),
    },
  ]),
  {
    name: 'batches of 1, 64 callers ÷ the best peer over the same HTTP',
    goal: 3,
    read: (results) => divide(results.median('async-1x64', RATE), best(results, '-http-1x64')),
  },
  {
    name: 'sync batches of 1, 64 callers ÷ async of the same',
    goal: 0.7,
    read: (results) => divide(results.median('sync-1x64', RATE), results.median('async-1x64', RATE)),
  },
  {
    name: 'batches of 100 at 10 million orders ÷ at none',
    goal: 0.9,
    read: (results) => divide(results.median('filled-10m', RATE), results.median('filled-0', RATE)),
  },
  ...['results by key', 'pages of batches', 'pages of a customer', 'histories'].map((read) => ({
    name: `${read} at 10 million orders ÷ at none`,
    goal: 0.8,
    read: (results: Results) =>
      divide(results.median('filled-10m', `${read}/s`), results.median('filled-0', `${read}/s`)),
  })),
  {
    name: 'polls, 64 callers ÷ bare route',
    goal: 1,
    read: (results) =>
      divide(results.median('polls-64', 'calls/s'), results.median('bare-row-64', 'calls/s', 'yardstick')),
  },
  ...['100', '1'].map((size) => ({
    name: `accept p99 at half load, batches of ${size} ÷ bare inserting route`,
    goal: 2,
    isAtMost: true,
    read: (results: Results) =>
      divide(
        results.median(`latency-${size}`, 'accept p99 ms'),
        results.median(`latency-${size}`, 'bare insert p99 ms'),
      ),
  })),
  {
    name: 'PostgreSQL 1 ms away ÷ beside, batches of 100',
    goal: 0.9,
    read: (results) => divide(results.median('async-100x8-far', RATE), results.median('async-100x8', RATE)),
  },
  ...['API', 'worker'].map((app) => ({
    name: `resident MiB of the ${app}, 32 calls of 5,000 orders in flight`,
    goal: 400,
    isAtMost: true,
    read: (results: Results) => results.median('memory', `${app} MiB`),
  })),
];

/** A line for each ratio whose measures were taken, from the medians over the rounds. */
export function formatRatios(results: Results): string[] {
  const rows = RATIOS.flatMap(({ name, goal, isAtMost = false, read }) => {
    const value = read(results);
    if (value === undefined) return [];
    const isMet = isAtMost ? value <= goal : value >= goal;
    return [
      [
        name,
        isMet ? 'met' : 'not met',
        value.toFixed(goal < 0.1 ? 3 : 2),
        `${isAtMost ? 'at most' : 'at least'} ${goal}`,
      ],
    ];
  });
  return rows.length === 0 ? [] : alignColumns([['ratio', '', 'value', 'goal'], ...rows]);
}

function divide(dividend: number | undefined, divisor: number | undefined): number | undefined {
  return dividend === undefined || divisor === undefined ? undefined : dividend / divisor;
}

/** Undefined unless all peers were measured: the best of some would flatter. */
function best(results: Results, suffix: string): number | undefined {
  const rates = peerNames.map((name) => results.median(`peer-${name}${suffix}`, RATE, 'yardstick'));
  return rates.includes(undefined) ? undefined : Math.max(...(rates as number[]));
}

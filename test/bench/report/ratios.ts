import { CALL_KINDS } from '../load/neighbor-calls.ts';
import { peers } from '../peers/peers.ts';
import { alignColumns, type Results } from './results.ts';

/** A ratio of two measures of one run, and its goal. */
interface Ratio {
  name: string;
  goal: number;
  /** Whether the goal is a maximum. The default is a minimum. */
  isAtMost?: boolean;
  /** Undefined if a measure was not taken. */
  read: (results: Results) => number | undefined;
}

const RATE = 'orders/s';
const peerNames = Object.keys(peers);

const RATIOS: Ratio[] = [
  {
    name: 'batches of 100 ÷ a bare bulk insert by unnest',
    goal: 0.5,
    read: (results) => divide(results.median('async-100x8', RATE), results.median('floor-unnest', RATE, 'yardstick')),
  },
  {
    name: 'batches of 100 ÷ a bare bulk insert by COPY',
    goal: 0.5,
    read: (results) => divide(results.median('async-100x8', RATE), results.median('floor-copy', RATE, 'yardstick')),
  },
  {
    name: 'batches of 100 ÷ the best peer without HTTP',
    goal: 10,
    read: (results) => divide(results.median('async-100x8', RATE), best(results, '')),
  },
  {
    name: 'batches of 100 ÷ the best peer over HTTP',
    goal: 15,
    read: (results) => divide(results.median('async-100x8', RATE), best(results, '-http-100x8')),
  },
  {
    name: 'backlog drained by four workers ÷ by one worker',
    goal: 0.95,
    read: (results) =>
      divide(results.median('backlog-workers4', 'drained/s'), results.median('backlog-workers1', 'drained/s')),
  },
  {
    name: 'batches of 1 accepted beside a backlog ÷ without one, four workers',
    goal: 0.3,
    read: (results) => results.median('singles-beside-backlog', 'accepted ÷ idle'),
  },
  {
    name: 'backlog drained beside a neighbor ÷ without one',
    goal: 0.95,
    read: (results) => results.median('fairness', 'backlog ÷ alone'),
  },
  {
    name: 'backlog drained beside a neighbor ÷ without one, on the cores left by the neighbor',
    goal: 0.95,
    read: (results) => results.median('fairness', 'backlog ÷ alone on the cores left by the neighbor'),
  },
  ...CALL_KINDS.flatMap((kind) => [
    {
      name: `${kind} beside a backlog, p95 ÷ (3 × idle p95 + one drain)`,
      goal: 1,
      isAtMost: true,
      read: (results: Results) => results.median('fairness', `${kind} p95 ÷ (3 × idle p95 + one drain)`),
    },
    {
      name: `${kind} beside a backlog, longest ÷ time to drain the backlog`,
      goal: 0.02,
      isAtMost: true,
      read: (results: Results) => results.median('fairness', `${kind} longest ÷ time to drain the backlog`),
    },
  ]),
  {
    name: 'batches of 1, 64 callers ÷ the best peer over HTTP',
    goal: 3,
    read: (results) => divide(results.median('async-1x64', RATE), best(results, '-http-1x64')),
  },
  {
    name: 'sync batches of 1 ÷ async batches of 1, 64 callers',
    goal: 0.7,
    read: (results) => divide(results.median('sync-1x64', RATE), results.median('async-1x64', RATE)),
  },
  {
    name: 'batches of 100 with 10 million orders ÷ on empty tables',
    goal: 0.9,
    read: (results) => divide(results.median('filled-10m', RATE), results.median('filled-0', RATE)),
  },
  ...['results by key', 'pages of batches', 'pages of a customer', 'histories'].map((read) => ({
    name: `${read} with 10 million orders ÷ on empty tables`,
    goal: 0.8,
    read: (results: Results) =>
      divide(results.median('filled-10m', `${read}/s`), results.median('filled-0', `${read}/s`)),
  })),
  {
    name: 'polls ÷ a bare route that reads one row, 64 callers',
    goal: 1,
    read: (results) =>
      divide(results.median('polls-64', 'calls/s'), results.median('bare-row-64', 'calls/s', 'yardstick')),
  },
  ...['100', '1'].map((size) => ({
    name: `accept p99 at half load, batches of ${size} ÷ a bare route that inserts`,
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
    name: `peak MiB of the ${app}, 16 concurrent batches of 2,000 orders`,
    goal: 400,
    isAtMost: true,
    read: (results: Results) => results.median('memory', `${app} MiB`),
  })),
];

/** Formats a line for each ratio whose measures were taken, from medians over the rounds. */
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

/** Returns undefined unless all peers were measured, because the best of a subset would flatter the service. */
function best(results: Results, suffix: string): number | undefined {
  const rates = peerNames.map((name) => results.median(`peer-${name}${suffix}`, RATE, 'yardstick'));
  return rates.includes(undefined) ? undefined : Math.max(...(rates as number[]));
}

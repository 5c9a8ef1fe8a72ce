import { median } from './measure.ts';
import { CALL_KINDS } from './measures/fairness.ts';
import { READ_KINDS } from './measures/reads.ts';
import { alignColumns, type Results } from './results.ts';

/** The goal of a figure, or of its ratio to another one of the same run: of several, to the largest. */
interface Goal {
  of: string;
  to?: string | string[];
  atLeast?: number;
  atMost?: number;
}

const HUNDREDS = 'async-100x8: orders/s';
const SINGLES = 'async-1x64: orders/s';
const peers = (sending: string) => ['bullmq', 'graphile', 'pgboss'].map((name) => `peer-${name}-${sending}: orders/s`);

const GOALS: Goal[] = [
  { of: HUNDREDS, to: 'floor-pipeline-100x8: orders/s', atLeast: 0.8 },
  { of: SINGLES, to: 'floor-pipeline-1x64: orders/s', atLeast: 0.8 },
  { of: HUNDREDS, to: 'floor-unnest: orders/s', atLeast: 0.5 },
  { of: HUNDREDS, to: peers('100x8'), atLeast: 15 },
  { of: SINGLES, to: peers('1x64'), atLeast: 3 },
  { of: 'async-100x8: WAL bytes', atMost: 1_600 },
  { of: 'sync-1x64: orders/s', to: SINGLES, atLeast: 0.7 },
  { of: 'backlog-workers4: drained/s', to: 'backlog-workers1: drained/s', atLeast: 0.95 },
  { of: 'fairness: backlog ÷ alone', atLeast: 0.95 },
  ...CALL_KINDS.flatMap((kind) => [
    { of: `fairness: ${kind} p95 ÷ (3 × idle p95 + one drain)`, atMost: 1 },
    { of: `fairness: ${kind} longest ÷ time to drain the backlog`, atMost: 0.02 },
  ]),
  ...[100, 1].map((size) => {
    return { of: `latency-${size}: accept p99 ms`, to: `latency-${size}: bare route p99 ms`, atMost: 2 };
  }),
  { of: 'polls-64: calls/s', to: 'bare-row-64: calls/s', atLeast: 1 },
  { of: 'filled-10m: orders/s', to: 'filled-0m: orders/s', atLeast: 0.9 },
  ...READ_KINDS.map((kind) => {
    return { of: `filled-10m: ${kind}: calls/s`, to: `filled-0m: ${kind}: calls/s`, atLeast: 0.8 };
  }),
  { of: 'export: orders ÷ alone', atLeast: 0.9 },
  { of: 'endings: searching ÷ alone', atLeast: 0.9 },
  { of: 'endings: telling ÷ alone', atLeast: 0.9 },
  { of: 'export: API MiB, then both', atMost: 250 },
  ...['API', 'worker'].map((app) => ({ of: `memory: ${app} MiB`, atMost: 400 })),
  ...['--version', '--help', 'complete -- b'].map((words) => ({ of: `start: ${words} ÷ node`, atMost: 2.5 })),
  { of: 'start: batch list ÷ node', atMost: 6 },
];

/** Formats a line for each goal whose measures were taken: the median over the rounds of the ratio within each. */
export function formatGoals(results: Results): string[] {
  const rows = GOALS.flatMap(({ of, to = [], atLeast = 0, atMost = Number.POSITIVE_INFINITY }) => {
    const [values, ...divisors] = [of, ...[to].flat()].map((figure) => results.valuesOf(figure));
    // The best of some of the peers would flatter the service.
    if (values === undefined || divisors.includes(undefined)) return [];
    const divisorOf = (round: number) => Math.max(...divisors.map((each) => each![round]!));
    const ratio = median(values.map((value, round) => (divisors.length === 0 ? value : value / divisorOf(round))));
    const name = divisors.length === 0 ? of : `${of} ÷ ${divisors.length > 1 ? 'the best peer' : to}`;
    const goal = atMost === Number.POSITIVE_INFINITY ? `at least ${atLeast}` : `at most ${atMost}`;
    return [[name, ratio >= atLeast && ratio <= atMost ? 'met' : 'not met', ratio.toPrecision(3), goal]];
  });
  return rows.length === 0 ? [] : alignColumns([['figure or ratio', '', 'value', 'goal'], ...rows]);
}

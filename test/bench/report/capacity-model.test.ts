import { expect, it } from 'vitest';
import { needsOf, type OrderConstants, type ProcessConstants } from './capacity-model.ts';

/** Round numbers are easy to follow. */
const ORDER: OrderConstants = {
  'API µs': 100,
  'worker µs': 50,
  'PostgreSQL µs': 200,
  'Redis µs': 10,
  'standby µs': 20,
  'WAL bytes': 2_000,
  'stored bytes': 1_000,
  'HTTP bytes': 900,
  'PostgreSQL bytes': 2_500,
  'Redis commands': 4,
  'Redis bytes': 300,
};
const PROCESS: ProcessConstants = {
  'API connections': 9,
  'worker connections': 6,
  'API MiB': 300,
  'worker MiB': 200,
  'poll API µs': 100,
  'poll PostgreSQL µs': 50,
};

it('sizes a day for a peak of ten times its mean, with half of each core free', () => {
  // 86.4 million a day are 1,000 a second, and 10,000 at the peak. At 50 µs each they use half a core, so one is
  // needed.
  const needs = needsOf({ orders: 86_400_000, ordersPerBatch: 100 }, ORDER, PROCESS);
  expect(needs).toMatchObject({
    'orders a second, mean': 1_000,
    'orders a second, peak': 10_000,
    'cores: workers': 1,
    'cores: PostgreSQL': 4.03,
    'cores: each standby': 0.4,
    'WAL, GB a day': 172.8,
    'WAL, MB a second at the peak': 20,
    'stored, GB a day': 86.4,
    'Redis commands a second, peak': 40_000,
    'network of PostgreSQL without standbys, Mbit/s at the peak': 200,
  });
});

it('counts three polls for each batch, which cost more than orders in batches of 1', () => {
  const day = { orders: 86_400_000, ordersPerBatch: 1 };
  const { 'cores: API': cores } = needsOf(day, ORDER, PROCESS);
  // 10,000 orders and 30,000 polls of 100 µs a second use four cores. Half of each core stays free, so eight are
  // needed.
  expect(cores).toBeCloseTo(8);
});

it('plans at least two processes of each kind, and one for each core', () => {
  const small = needsOf({ orders: 1_000, ordersPerBatch: 1 }, ORDER, PROCESS);
  expect(small).toMatchObject({
    'API processes': 2,
    'worker processes': 2,
    'connections to PostgreSQL, at most': 2 * 31 + 2 * 11,
  });
  const large = needsOf({ orders: 864_000_000, ordersPerBatch: 100 }, ORDER, PROCESS);
  expect(large).toMatchObject({ 'worker processes': 10 });
});

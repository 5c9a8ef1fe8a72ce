import type { Database } from '@lockstep/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/stack.ts';
import { readBacklog } from './backlog.ts';
import { createOrderMetrics, registerBacklogGauges } from './metrics.ts';

let database: TestDatabase;
/** The same database, which counts its queries. */
let counted: Database;
let queries = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  counted = database.db.withPlugin({
    transformQuery: ({ node }) => {
      queries += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
});
afterAll(() => database.close());

it('the gauges of what is pending share one look at the database in a scrape', async () => {
  await readBacklog(counted);
  const queriesOfOneLook = queries;
  expect(queriesOfOneLook).toBeGreaterThan(0);
  const { registry } = createOrderMetrics();
  registerBacklogGauges(registry, counted);
  const text = await registry.metrics();
  expect(text).toMatch(/^lockstep_database_up 1$/m);
  expect(text).toMatch(/^lockstep_oldest_pending_order_seconds 0$/m);
  // One more for who is held.
  expect(queries).toBe(2 * queriesOfOneLook + 1);
});

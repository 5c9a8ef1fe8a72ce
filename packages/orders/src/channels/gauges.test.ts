import { testDatabase } from '@lockstep/test/harness/stack';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createOrderMetrics } from '../metrics.ts';
import { registerBacklogGauges } from './gauges.ts';
import { ChannelReader, readChannels } from './state.ts';

let queries = 0;

const database = await testDatabase();
/** The same database, with a counter of queries. */
const counted = database.db.withPlugin({
  transformQuery: ({ node }) => {
    queries += 1;
    return node;
  },
  transformResult: async ({ result }) => result,
});

it('the backlog gauges share one reading of the database per scrape', async () => {
  await readChannels(counted);
  const queriesOfOneReading = queries;
  expect(queriesOfOneReading).toBeGreaterThan(0);
  const { registry } = createOrderMetrics();
  registerBacklogGauges(registry, counted, new ChannelReader(counted));
  const text = await registry.metrics();
  expect(text).toMatch(/^lockstep_database_up 1$/m);
  expect(text).toMatch(/^lockstep_oldest_pending_order_seconds 0$/m);
  // One more query for held customers and stalled lanes.
  expect(queries).toBe(2 * queriesOfOneReading + 1);
});

it('has gauges for the 50 channels with the most pending orders, and one for the others', async () => {
  await sql`
    with application as (
      insert into application (app_key, name, secret_hash, scopes) values ('k1', 'Test', '', '{}') returning id
    ), channel as (
      insert into channel (code) select 'shop-' || n from generate_series(1, 60) as n order by n returning id, code
    )
    insert into pending_orders (channel_id, application_id, pending)
    select channel.id, application.id, substr(code, 6)::int from channel, application`.execute(database.db);
  const { registry } = createOrderMetrics();
  registerBacklogGauges(registry, database.db, new ChannelReader(database.db));
  const text = await registry.getSingleMetricAsString('lockstep_channel_pending_orders');
  const gauges = [...text.matchAll(/channel="([^"]+)"\} (\d+)/g)].map(([, channel, orders]) => [
    channel,
    Number(orders),
  ]);
  expect(gauges).toHaveLength(51);
  expect(gauges[0]).toEqual(['shop-60', 60]);
  expect(gauges.at(-1)).toEqual(['(others)', 55]);
});

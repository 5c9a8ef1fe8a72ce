import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { namedTexts } from '../../packages/platform/src/statement-head.ts';
import { dataOf } from '../harness/api.ts';
import { newCustomersInLanes } from '../harness/lanes.ts';
import { batchOf, deleteAsset, deleteProduct, newAssetNum, newBuy } from '../harness/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { syncOf } from '../harness/sync-batches.ts';

/** The plans that PostgreSQL keeps of named statements, made while all tables are empty. */
let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

it('prints', async () => {
  const api = await stack.newApi();
  const [one, other] = await newCustomersInLanes(api, 2);
  const num = newAssetNum();
  await api.process(batchOf(newBuy(one!, [num]), newBuy(one!, [newAssetNum()])));
  await api.process(batchOf(deleteAsset(one!, [num]), deleteAsset(other!, [newAssetNum()])));
  await api.accept(syncOf(newBuy(one!, [newAssetNum()])));
  const empty = await startStack({ worker: false });
  await sql`set enable_seqscan = off`.execute(empty.db);
  const out: string[] = [];
  for (const [text, name] of namedTexts()) {
    const { rows } = await sql.raw(`explain (generic_plan) ${text}`).execute(empty.db).catch((e) => ({ rows: [{ 'QUERY PLAN': String(e) }] }));
    out.push(`=== ${name}`, ...rows.map((row) => (row as Record<string, string>)['QUERY PLAN']!));
  }
  (await import('node:fs')).writeFileSync('/tmp/plans/plans.txt', out.join('\n'));
  await empty.close();
});

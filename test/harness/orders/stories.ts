import type { Customer, OrderResult } from '@lockstep/contract';
import { sql } from 'kysely';
import type { Api } from '../api.ts';
import type { Stack } from '../stack.ts';
import { type batchOf, deleteAsset, newBuy, type Sent } from './orders.ts';

/** Buys the number and takes it back, `count` orders in turn: each succeeds only right after the one before it. */
export function buyAndDelete(customer: Customer, assetNum: string, count: number): Sent[] {
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? newBuy(customer, [assetNum]) : deleteAsset(customer, [assetNum]),
  );
}

/** Accepts one batch after the other without waiting for what becomes of them, over the APIs in turn. */
export async function acceptAll(apis: Api[], batches: ReturnType<typeof batchOf>[]): Promise<void> {
  for (const [index, batch] of batches.entries()) await apis[index % apis.length]!.accept(batch);
}

/** What became of all orders of some batches, once they are completed. */
export async function waitForResults(api: Api, batches: ReturnType<typeof batchOf>[]): Promise<OrderResult[]> {
  const results = await Promise.all(batches.map((batch) => api.completed(batch)));
  return results.flatMap(({ orders }) => orders);
}

/** How the orders ended: the causes, the state where there is none, and how many of each. */
export function countOutcomes(orders: OrderResult[]): Record<string, number> {
  const ends = Map.groupBy(orders, ({ cause, state }) => cause ?? state);
  return Object.fromEntries([...ends].map(([end, orders]) => [end, orders.length]));
}

/** The orders that granted to the assets of a number, oldest first, and whether the asset is active. */
export async function readGrants(stack: Stack, assetNum: string) {
  return await stack.db
    .selectFrom('asset')
    .innerJoin('asset_grant', 'asset_grant.asset_id', 'asset.id')
    .select(['license_order_id', sql<boolean>`asset.revoked_time is null`.as('active')])
    .where('asset_num', '=', assetNum)
    .orderBy('license_order_id')
    .execute();
}

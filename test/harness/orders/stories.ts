import type { Customer, OrderResult } from '@lockstep/contract';
import { sql } from 'kysely';
import type { Api } from '../api.ts';
import type { Stack } from '../stack.ts';
import { type batchOf, deleteAsset, newBuy, type Sent } from './orders.ts';

/** Returns `count` orders that buy and revoke the number in turn: each succeeds only right after the one before. */
export function buyAndDelete(customer: Customer, assetNum: string, count: number): Sent[] {
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? newBuy(customer, [assetNum]) : deleteAsset(customer, [assetNum]),
  );
}

/** Accepts batches one after the other without waiting for outcomes, alternating between the APIs. */
export async function acceptAll(apis: Api[], batches: ReturnType<typeof batchOf>[]): Promise<void> {
  for (const [index, batch] of batches.entries()) await apis[index % apis.length]!.accept(batch);
}

/** Waits until batches are completed. Returns the results of all their orders. */
export async function waitForResults(api: Api, batches: ReturnType<typeof batchOf>[]): Promise<OrderResult[]> {
  const results = await Promise.all(batches.map((batch) => api.completed(batch)));
  return results.flatMap(({ orders }) => orders);
}

/** Counts the orders by cause, or by state if they have no cause. */
export function countOutcomes(orders: OrderResult[]): Record<string, number> {
  const ends = Map.groupBy(orders, ({ cause, state }) => cause ?? state);
  return Object.fromEntries([...ends].map(([end, orders]) => [end, orders.length]));
}

/** Returns the orders with grants on the assets of a number, oldest first, and whether the asset is active. */
export async function readGrants(stack: Stack, assetNum: string) {
  const { rows } = await sql<{ license_order_id: string; active: boolean }>`
    select license_order_id, asset.revoked_time is null as active from asset join asset_grant on asset_id = asset.id
    where asset_num = ${assetNum} order by license_order_id`.execute(stack.db);
  return rows;
}

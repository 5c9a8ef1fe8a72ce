import { ABOVE_ALL } from '@lockstep/assets';
import type { LicenseOrderId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import type { FoundOrders, OrderFilters, OrderSearch } from './order-filters.ts';
import type { OrdersFrom } from './order-index.ts';
import { findFinishedOfCustomer, findPendingOfCustomer } from './orders-of-customer.ts';
import { findFailedOfNumber, findPendingOfNumber, findSucceededOfNumber } from './orders-of-number.ts';

/** Finds orders of a customer or an asset number, newest first by their ids. */
export async function findOrdersByName(trx: Trx, { after, ...search }: OrderSearch): Promise<FoundOrders> {
  const below = (after?.[0] ?? ABOVE_ALL) as LicenseOrderId;
  const found: OrdersFrom[] = [];
  for (const find of placesOf(search.filters)) found.push(await find(trx, { ...search, below }));
  return mergeFound(found, search.limit);
}

/** Where orders with such an outcome are found. */
function placesOf({ assetNum, state, cause }: OrderFilters) {
  const [succeeded, failed, pending] =
    assetNum === undefined
      ? [[findFinishedOfCustomer], [], [findPendingOfCustomer]]
      : [[findSucceededOfNumber], [findFailedOfNumber], [findPendingOfNumber]];
  if (cause !== undefined || state === 'failed') return assetNum === undefined ? succeeded : failed;
  if (state === 'succeeded') return succeeded;
  if (state === 'pending') return pending;
  return [...succeeded, ...failed, ...pending];
}

/** Merges what was found in several places, newest first, down to where all of them have been looked through. */
export function mergeFound(found: readonly OrdersFrom[], limit: number): FoundOrders {
  const floors = found.flatMap(({ floor }) => (floor === null ? [] : [BigInt(floor)]));
  const floor = floors.length === 0 ? null : floors.reduce((highest, each) => (each > highest ? each : highest));
  const ids = found
    .flatMap((each) => each.ids)
    .map(BigInt)
    .filter((id) => floor === null || id >= floor)
    .sort((a, b) => (a > b ? -1 : 1))
    .map((id) => String(id) as LicenseOrderId);
  const page = ids.slice(0, limit);
  if (ids.length > limit) return { ids: page, stop: [page.at(-1)!] };
  return { ids: page, stop: floor === null ? null : [String(floor)] };
}

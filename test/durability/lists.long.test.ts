import { licenseOrderIdOf } from '@lockstep/assets';
import { readOrderEffects } from '@lockstep/assets/operator';
import type { BatchId, CustomerId, LicenseOrderId, ListOrdersQuery, OrderType } from '@lockstep/contract';
import type { ConsoleBatchesQuery, ConsoleOrdersQuery } from '@lockstep/contract/console';
import { OPERATOR } from '@lockstep/contract/operator';
import { listBatches, listOrders } from '@lockstep/orders';
import { showBatch, showSentOrder } from '@lockstep/orders/operator';
import { openCursor } from '@lockstep/orders/testing';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { costOfSent, recordQueries } from '../harness/databases/explain.ts';
import { testDatabase } from '../harness/stack.ts';
import { fillWithBatches } from './million-orders.ts';

/**
 * The cost of a list page among a million orders. The test explains every statement as it runs. Each page reads by
 * indexes and a bounded number of rows, the last as well as the first (rules 6.7).
 */

const { db } = await testDatabase();
const filled = await fillWithBatches(db);
const sent = recordQueries();
afterAll(() => void vi.restoreAllMocks());

type Page = { nextCursor: string | null };

/** Reads a page and measures its cost. */
async function costOf<Read extends Page>(read: () => Promise<Read>) {
  sent.length = 0;
  const page = await read();
  return { page, ...(await costOfSent(db, sent)) };
}

const caller = { applicationId: filled.applicationId, channels: null };

/** The maximum of rows that all statements of a call may read. */
const MAX_ROWS = 60_000;
/** How many more rows a later page may read than the first, which may find its entries at once. */
const SLACK = 500;
/** An old batch with many fewer pages behind it than the first, and one with less than a page behind it. */
const [OLD_BATCH, OLDEST_BATCH] = [300, 2];

/** Reads the first page, a late one and the last, and compares their costs. */
async function expectBounded(
  read: (cursor: string | undefined) => Promise<Page>,
  cursorAt: (acceptedTime: string, batchId: BatchId) => string,
): Promise<void> {
  const first = await costOf(() => read(undefined));
  expect(first.rowsRead).toBeLessThan(MAX_ROWS);
  expect(first.wholeTables).toEqual([]);
  for (const id of [OLD_BATCH, OLDEST_BATCH]) {
    const cursor = cursorAt(await filled.findAcceptedTime(id), String(id) as BatchId);
    const later = await costOf(() => read(cursor));
    expect(later.rowsRead).toBeLessThan(Math.min(MAX_ROWS, first.rowsRead + SLACK));
    expect(later.wholeTables).toEqual([]);
    if (id === OLDEST_BATCH) expect(later.page.nextCursor).toBe(null);
  }
}

const [RARE, LARGE] = ['7', '1'] as CustomerId[];
const AN_HOUR = { acceptedFrom: Date.UTC(2020, 0, 1), acceptedTo: Date.UTC(2020, 0, 1, 1) };

const BATCHES: Partial<ConsoleBatchesQuery>[] = [
  {},
  { channelCode: 'common' },
  { channelCode: 'rare' },
  { state: 'accepted' },
  { state: 'processing' },
  { state: 'completed' },
  { hasFailed: 'true' },
  { channelCode: 'rare', hasFailed: 'true' },
  { state: 'completed', hasFailed: 'true' },
  AN_HOUR,
];
type OrderFilters = Partial<ConsoleOrdersQuery & ListOrdersQuery>;
const ORDERS: OrderFilters[] = [
  {},
  { channelCode: 'rare' },
  { orderType: 'new_buy' },
  { orderType: 'delete_asset' },
  { state: 'pending' },
  { state: 'succeeded' },
  { state: 'failed' },
  { cause: 'asset_not_found' },
  { cause: 'cancelled' },
  { customerId: RARE },
  { customerId: RARE, state: 'pending' },
  { customerId: RARE, state: 'failed' },
  { customerId: LARGE },
  { customerId: LARGE, state: 'failed' },
  { customerId: LARGE, orderType: 'delete_asset' },
  { assetNum: 'BUSY' },
  { assetNum: 'BUSY', state: 'succeeded' },
  { assetNum: 'BUSY', state: 'pending' },
  { assetNum: 'BUSY', state: 'failed' },
  { assetNum: 'NONE' },
  { customerId: LARGE, assetNum: 'BUSY' },
  AN_HOUR,
];

const LISTS = [
  { who: 'an application', by: caller, batches: BATCHES, orders: ORDERS },
  {
    who: 'all applications',
    by: OPERATOR,
    batches: [...BATCHES, { channelOrderId: 'B4711' }, { channelOrderId: 'B47*' }],
    orders: [...ORDERS, { cause: 'internal_error' } as const, { state: 'failed', ...AN_HOUR } as const],
  },
];
describe.each(LISTS)('lists of $who read by indexes, bounded, on the last page as on the first:', (lists) => {
  const { by, batches, orders } = lists;

  it.each<Partial<ConsoleBatchesQuery>>(batches)('batches %j', async (filters) => {
    const cursors = openCursor('batches', by, filters, undefined);
    await expectBounded(
      (cursor) => listBatches(db, by, { ...filters, limit: 50, cursor } as ConsoleBatchesQuery, showBatch),
      (acceptedTime, batchId) => cursors.write([acceptedTime, batchId])!,
    );
  });

  it.each<OrderFilters>(orders)('orders %j', async (filters) => {
    const isOfAll = by === OPERATOR && filters.acceptedFrom === undefined;
    const isById = isOfAll || filters.customerId !== undefined || filters.assetNum !== undefined;
    const cursors = openCursor(isById ? 'ordersById' : 'orders', by, filters, undefined);
    await expectBounded(
      (cursor) => listOrders(db, by, { ...filters, limit: 200, cursor } as ConsoleOrdersQuery, showSentOrder),
      (acceptedTime, batchId) => {
        const id = licenseOrderIdOf(batchId, 0);
        return cursors.write(isById ? [id] : [acceptedTime, id])!;
      },
    );
  });
});

it.each<[orderType: OrderType, id: LicenseOrderId, found: number]>([
  ['new_buy', licenseOrderIdOf('5000' as BatchId, 50), 11],
  ['delete_asset', licenseOrderIdOf('301' as BatchId, 0), 1],
  ['delete_product', licenseOrderIdOf('5010' as BatchId, 0), 1],
])('effects of an order of the type %s: by indexes, with bounded reads', async (orderType, licenseOrderId, found) => {
  sent.length = 0;
  const { assets } = await readOrderEffects(db, OPERATOR, { licenseOrderId, orderType, limit: 200 });
  expect(assets).toHaveLength(found);
  const { rowsRead, wholeTables } = await costOfSent(db, sent);
  expect(wholeTables).toEqual([]);
  expect(rowsRead).toBeLessThan(MAX_ROWS);
});

import { readAssetHistory, showEntry } from '@lockstep/assets';
import type { ApplicationId, AssetHistory } from '@lockstep/contract';
import { ListCursor } from '@lockstep/platform';
import { sql } from 'kysely';
import { beforeAll, expect, it, vi } from 'vitest';
import { countRows, recordQueries } from '../../harness/databases/explain.ts';
import { pastTriggers } from '../../harness/databases/past-triggers.ts';
import { newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** The rows that a page of a long history reads are bounded: a late page reads no more than the first. */
const ORDERS = 200;
const PRODUCTS_OF_ORDER = 100;
const TIMES_BOUGHT = 5_000;
const LIMIT = 50;
const APPLICATION_ID = '1' as ApplicationId;
/** A page reads the orders of the assets it shows. For each order, it reads at most as many effects as it can show. */
const MAX_ROWS = LIMIT * LIMIT + 10 * ORDERS;
const [LONG_USED, OFTEN_BOUGHT] = [newAssetNum(), newAssetNum()];
/** The first ID of each kind of inserted row. */
const FIRST = {
  ending: 1_000_000,
  purchase: 2_000_000,
  revocation: 3_000_000,
  product: 50_000_000,
  asset: 60_000_000,
  other: 70_000_000,
};

const { stack, api } = await testStack();
const customer = await api.newCustomer();
/** The asset with the number LONG_USED, and the order that bought it. */
const long = await buy(LONG_USED);
beforeAll(async () => {
  await fillAsset();
  await fillNumber();
  // PostgreSQL chooses its query plans by the statistics that it has of the tables.
  await sql`analyze`.execute(stack.db);
});

async function buy(assetNum: string): Promise<{ assetId: string; orderId: string }> {
  const [accepted] = await api.carryOut(newBuy(customer, [assetNum]));
  const asset = await stack.db.selectFrom('asset').select('id').where('asset_num', '=', assetNum).executeTakeFirst();
  return { assetId: asset!.id, orderId: accepted!.licenseOrderId };
}

/** Inserts succeeded orders one second apart, with IDs from `first`. */
const insertOrders = (first: number, count: number, type: string) =>
  sql`
    insert into license_order (id, order_type, customer_id, assets, products, finished_time)
    select ${first}::bigint + i, ${type}, ${customer.customerId}, 1, 1, '2030-01-01'::timestamptz + i * interval '1 s'
    from generate_series(0, ${count}::integer - 1) as i`.execute(stack.db);

const PRODUCT = sql`
  'crm' as crm_product_id, '' as parent_crm_product_id, (select min(id) from product_terms) as terms_id,
  hash_uri('gms-100') as uri_hash, 1 as limit_concurrent`;
const PRODUCT_COLUMNS = sql`crm_product_id, parent_crm_product_id, terms_id, uri_hash, limit_concurrent`;

/** Reads a page and counts the rows that PostgreSQL reads for it. */
async function readPage(assetNum: string, cursor?: string): Promise<AssetHistory & { rows: number }> {
  const viewer = { applicationId: APPLICATION_ID, channels: null };
  const sent = recordQueries('test');
  const page = (await readAssetHistory(stack.db, viewer, assetNum, { limit: LIMIT, cursor }, showEntry))!;
  vi.restoreAllMocks();
  const statements = sent.filter(({ text }) => /^\s*(select|with) /.test(text));
  let rows = 0;
  for (const statement of statements) rows += await countRows(stack.db, statement);
  return { ...page, rows };
}

/** Reads the first page and the pages after the given places. */
async function expectBounded(assetNum: string, places: string[][]): Promise<void> {
  const cursors = places.map(
    (place) => new ListCursor(['assetHistory', APPLICATION_ID, { assetNum }], undefined).write(place)!,
  );
  for (const cursor of [undefined, ...cursors]) {
    const page = await readPage(assetNum, cursor);
    expect(page.entries).toHaveLength(LIMIT);
    expect(page.nextCursor).not.toBeNull();
    expect(page.rows).toBeLessThan(MAX_ROWS);
  }
}

/** Fills the asset with products that many orders have revoked. */
async function fillAsset(): Promise<void> {
  await insertOrders(FIRST.ending, ORDERS, 'delete_product');
  await sql`
    insert into product_instance (id, asset_id, license_order_id, ${PRODUCT_COLUMNS}, revoked_time, revoked_by_order_id)
    select ${FIRST.product}::bigint + i, ${long.assetId}, ${long.orderId}, ${PRODUCT}, statement_timestamp(),
      ${FIRST.ending}::bigint + i / ${PRODUCTS_OF_ORDER}::integer
    from generate_series(0, ${ORDERS * PRODUCTS_OF_ORDER}::integer - 1) as i`.execute(stack.db);
}

/** Buys and revokes one number many times. */
async function fillNumber(): Promise<void> {
  await insertOrders(FIRST.purchase, TIMES_BOUGHT, 'new_buy');
  await insertOrders(FIRST.revocation, TIMES_BOUGHT, 'delete_asset');
  const columns = sql`revoked_time, revoked_by_order_id`;
  const revoked = sql`'2030-01-01'::timestamptz + i * interval '1 s', ${FIRST.revocation}::bigint + i`;
  const [asset, purchase] = [sql`${FIRST.asset}::bigint + i`, sql`${FIRST.purchase}::bigint + i`];
  const all = sql`from generate_series(0, ${TIMES_BOUGHT}::integer - 1) as i`;
  // A trigger refuses assets that are inserted as revoked.
  await pastTriggers(stack.db, ['asset'], (trx) =>
    sql`
    insert into asset (id, asset_num, customer_id, license_type,
      borrowed_usb_key, created_by_order_id, ${columns})
    select ${asset}, ${OFTEN_BOUGHT}, ${customer.customerId}, 'softkey', false, ${purchase}, ${revoked}
    ${all}`.execute(trx),
  );
  await sql`
    insert into asset_grant (asset_id, license_order_id, ${columns})
    select ${asset}, ${purchase}, ${revoked} ${all}`.execute(stack.db);
  await sql`
    insert into product_instance (id, asset_id, license_order_id, ${PRODUCT_COLUMNS}, ${columns})
    select ${FIRST.other}::bigint + i, ${asset}, ${purchase}, ${PRODUCT}, ${revoked} ${all}`.execute(stack.db);
}

it('reads a bounded number of rows for an asset with many revoked products', async () => {
  const { assetId, orderId } = long;
  const half = FIRST.product + (ORDERS * PRODUCTS_OF_ORDER) / 2;
  await expectBounded(LONG_USED, [
    [assetId, 'order', String(FIRST.ending + ORDERS / 2), 'product_revoked', String(half - 10)],
    [assetId, 'order', orderId, 'product_bought', String(half)],
  ]);
});

it('reads a bounded number of rows for a number that was bought and revoked many times', async () => {
  await expectBounded(OFTEN_BOUGHT, [
    [String(FIRST.asset + 100), 'order', String(FIRST.purchase + 100), '', String(FIRST.asset + 100)],
  ]);
});

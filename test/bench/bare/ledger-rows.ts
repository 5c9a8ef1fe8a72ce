import { crc32 } from 'node:zlib';
import type pg from 'pg';
import { TERMS } from '../../harness/databases/fill-statements.ts';

/** An order of one asset with one product. */
export interface BareOrder {
  id: number;
  customerId: string;
  assetNum: string;
  /** The order as it was sent. */
  sent?: unknown;
}

/** A column of a row that an order writes: its name, its type, and its value. */
type Column = readonly [name: string, type: string, value: (order: BareOrder) => string | number | boolean];

/** The terms of all products. The service writes them once, so they don't count as rows of an order. */
const TERMS_ID = 1;
const URI_HASH = crc32(JSON.parse(TERMS).productUri) - 2 ** 31;

/** The rows that the service writes for an order, by table. */
const LEDGER_ROWS: Readonly<Record<string, readonly Column[]>> = {
  license_order: [
    ['id', 'bigint', ({ id }) => id],
    ['order_type', 'text', () => 'new_buy'],
    ['customer_id', 'text', ({ customerId }) => customerId],
    ['assets', 'integer', () => 1],
    ['products', 'integer', () => 1],
  ],
  asset: [
    ['id', 'bigint', ({ id }) => id],
    ['asset_num', 'text', ({ assetNum }) => assetNum],
    ['customer_id', 'bigint', ({ customerId }) => customerId],
    ['license_type', 'text', () => 'normal_recover_usbkey'],
    ['borrowed_usb_key', 'boolean', () => false],
    ['created_by_order_id', 'bigint', ({ id }) => id],
  ],
  asset_grant: [
    ['asset_id', 'bigint', ({ id }) => id],
    ['license_order_id', 'bigint', ({ id }) => id],
  ],
  product_instance: [
    ['id', 'bigint', ({ id }) => id],
    ['asset_id', 'bigint', ({ id }) => id],
    ['license_order_id', 'bigint', ({ id }) => id],
    ['terms_id', 'bigint', () => TERMS_ID],
    ['uri_hash', 'integer', () => URI_HASH],
    ['limit_concurrent', 'integer', () => 1],
    ['crm_product_id', 'text', () => 'crm-1'],
    ['parent_crm_product_id', 'text', () => ''],
  ],
};

/**
 * Creates copies of these tables in schema `bare`, with columns, defaults and indexes but without checks and triggers.
 * Also inserts the terms, which the triggers of the schema's own tables need.
 */
export async function createBareTables(db: pg.Pool): Promise<void> {
  const text = 'insert into product_terms (id, fields) overriding system value values ($1, $2)';
  await db.query(text, [TERMS_ID, TERMS]);
  await db.query('create schema bare');
  await db.query('create table bare.call (first_id bigint primary key, orders int not null, content text not null)');
  for (const table of Object.keys(LEDGER_ROWS)) {
    await db.query(
      `create table bare.${table} (like public.${table} including defaults including generated including indexes)`,
    );
  }
}

/**
 * Inserts the rows of the orders that `read` returns, with one statement for each table, in one transaction with it.
 * Returns how many orders there were.
 */
export async function insertOrders(
  client: pg.PoolClient,
  schema: 'bare' | 'public',
  read: () => Promise<readonly BareOrder[]>,
): Promise<number> {
  await client.query('begin');
  const orders = await read();
  for (const [table, columns] of orders.length > 0 ? Object.entries(LEDGER_ROWS) : []) {
    const names = columns.map(([name]) => name).join(', ');
    const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
    await client.query({
      name: `insert_${table}`,
      text: `insert into ${schema}.${table} (${names}) select * from unnest(${arrays})`,
      values: columns.map(([, , value]) => orders.map(value)),
    });
  }
  await client.query('commit');
  return orders.length;
}

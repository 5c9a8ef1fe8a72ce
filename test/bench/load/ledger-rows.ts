import { crc32 } from 'node:zlib';
import type pg from 'pg';
import { productToBuy } from '../../harness/orders/orders.ts';

/** A column of a row that an order writes: its name, its type, and its value by the order's number. */
type Column = readonly [name: string, type: string, value: (order: number) => string | number | boolean];

const { crmProductId, parentCrmProductId, limitConcurrent, ...terms } = productToBuy();

/** The terms of all products. The service writes them once, so they don't count as rows of an order. */
export const TERMS = { id: 1, uriHash: crc32(String(terms.productUri)) - 2 ** 31, fields: JSON.stringify(terms) };

/** The rows that the service writes, by table, for an order of one asset with one product. */
export const LEDGER_ROWS: readonly { table: string; columns: readonly Column[] }[] = [
  {
    table: 'license_order',
    columns: [
      ['id', 'bigint', (order) => order],
      ['order_type', 'text', () => 'new_buy'],
      ['customer_id', 'text', () => '1'],
      ['assets', 'integer', () => 1],
      ['products', 'integer', () => 1],
    ],
  },
  {
    table: 'asset',
    columns: [
      ['id', 'bigint', (order) => order],
      ['asset_num', 'text', (order) => `floor-${order}`],
      ['customer_id', 'bigint', () => 1],
      ['license_type', 'text', () => 'normal_recover_usbkey'],
      ['borrowed_usb_key', 'boolean', () => false],
      ['created_by_order_id', 'bigint', (order) => order],
    ],
  },
  {
    table: 'asset_grant',
    columns: [
      ['asset_id', 'bigint', (order) => order],
      ['license_order_id', 'bigint', (order) => order],
    ],
  },
  {
    table: 'product_instance',
    columns: [
      ['id', 'bigint', (order) => order],
      ['asset_id', 'bigint', (order) => order],
      ['license_order_id', 'bigint', (order) => order],
      ['terms_id', 'bigint', () => TERMS.id],
      ['uri_hash', 'integer', () => TERMS.uriHash],
      ['limit_concurrent', 'integer', () => 1],
      ['crm_product_id', 'text', () => 'crm-1'],
      ['parent_crm_product_id', 'text', () => ''],
    ],
  },
];

export const columnNames = (columns: readonly Column[]) => columns.map(([name]) => name).join(', ');

/**
 * Creates copies of these tables in schema `bare`, with columns, defaults and indexes but without checks and triggers.
 * Also inserts the terms, which the triggers of the schema's own tables need.
 */
export async function createBareTables(db: pg.Pool): Promise<void> {
  const text = 'insert into product_terms (id, fields) overriding system value values ($1, $2)';
  await db.query(text, [TERMS.id, TERMS.fields]);
  await db.query('create schema bare');
  for (const { table } of LEDGER_ROWS) {
    await db.query(
      `create table bare.${table} (like public.${table} including defaults including generated including indexes)`,
    );
  }
}

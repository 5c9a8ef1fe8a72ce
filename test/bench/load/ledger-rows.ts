import type pg from 'pg';
import { productToBuy } from '../../harness/orders/orders.ts';

/** A column of a row that an order leaves behind: its type, and its value for an order by its number. */
type Column = readonly [name: string, type: string, value: (order: number) => string | number | boolean];

const { productType, parentCrmProductId, limitTimeDuration, trial, trialEndDate, ...bought } = productToBuy();
const { timeUnit, timeUnitQuantity, timeDurationExpression, productFeatures } = bought;
const own = { productType, parentCrmProductId, limitTimeDuration, trial, trialEndDate };
const details = JSON.stringify({ ...own, timeUnit, timeUnitQuantity, timeDurationExpression, productFeatures });

/** The rows that the service writes for an order of one asset with one product, by table. */
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
      ['active_grants', 'integer', () => 1],
      ['active_products', 'integer', () => 1],
      ['active_merchandises', 'integer', () => 0],
      ['license_type', 'text', () => 'normal_recover_usbkey'],
      ['borrowed_usb_key', 'boolean', () => false],
      ['extends', 'jsonb', () => '{}'],
      ['created_by_order_id', 'bigint', (order) => order],
    ],
  },
  {
    table: 'asset_grant',
    columns: [
      ['asset_id', 'bigint', (order) => order],
      ['license_order_id', 'bigint', (order) => order],
      ['active_products', 'integer', () => 1],
      ['active_merchandises', 'integer', () => 0],
    ],
  },
  {
    table: 'product_instance',
    columns: [
      ['id', 'bigint', (order) => order],
      ['asset_id', 'bigint', (order) => order],
      ['license_order_id', 'bigint', (order) => order],
      ['crm_product_id', 'text', () => 'crm-1'],
      ['product_uri', 'text', () => 'gms-100'],
      ['product_name', 'text', () => 'Cost Estimator'],
      ['limit_concurrent', 'integer', () => 1],
      ['details', 'jsonb', () => details],
    ],
  },
];

export const columnNames = (columns: readonly Column[]) => columns.map(([name]) => name).join(', ');

/** Creates these tables in a schema `bare`, with their columns, defaults and indexes, without checks and triggers. */
export async function createBareTables(db: pg.Pool): Promise<void> {
  await db.query('create schema bare');
  for (const { table } of LEDGER_ROWS) {
    await db.query(
      `create table bare.${table} (like public.${table} including defaults including generated including indexes)`,
    );
  }
}

import { readFile } from 'node:fs/promises';
import type { Credentials } from '@lockstep/access';
import type { AcceptedOrder } from '@lockstep/contract';
import { QUEUE_NAME } from '@lockstep/orders';
import { migratePostgresQueue, migrateUpTo } from '@lockstep/platform';
import { sql } from 'kysely';
import type { batchOf } from '../../harness/orders.ts';
import type { TestDatabase } from '../../harness/stack.ts';

/**
 * A ledger as the release of FILLED_BY filled it through its API and its worker.
 *
 * ledger.sql has its rows, sent.jsonl every batch that it accepted, with the answer, and caller.json the application
 * that sent them, which exists nowhere else. Its customers are A, B and C, and D of the member center. The batches
 * named pending-… came after the last worker had stopped.
 */
const FILLED_BY = '0032_live_tokens';
const readFixture = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');

export type Batch = Omit<ReturnType<typeof batchOf>, 'syncMode'> & { syncMode: 'async' | 'sync' };

/** A batch that the previous release accepted, and its answer. */
export interface Stored {
  sent: Batch;
  answer: AcceptedOrder[];
}

export const stored: Stored[] = (await readFixture('sent.jsonl'))
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

/** The rows of a database, by table and primary key. */
export type Rows = Record<string, Record<string, Record<string, unknown>>>;

const KEYS: Record<string, string> = {
  application: 'id',
  enterprise: 'id',
  customer: 'id',
  member: 'id',
  member_audit: 'id',
  batch: 'id',
  lane_chunk: "batch_id || '/' || lane",
  license_order: 'id',
  failed_order: 'license_order_id',
  asset: 'id',
  asset_grant: "asset_id || '/' || license_order_id",
  merchandise_instance: 'id',
  product_instance: 'id',
  asset_assignment: 'asset_id',
  asset_lending: 'asset_id',
  lock_audit: 'id',
};

/** Reads all rows of these tables. */
export async function readRows({ db }: TestDatabase): Promise<Rows> {
  const tables = Object.entries(KEYS).map(async ([table, key]) => {
    const { rows } = await sql<{ key: string; row: Record<string, unknown> }>`
      select (${sql.raw(key)})::text as key, to_jsonb(each) as row from ${sql.table(table)} as each`.execute(db);
    return [table, Object.fromEntries(rows.map(({ key, row }) => [key, row]))];
  });
  return Object.fromEntries(await Promise.all(tables));
}

/** Creates the tables of the previous release and inserts its rows, without the triggers that check new rows. */
export async function fill({ db, url }: TestDatabase): Promise<void> {
  await migrateUpTo(db, FILLED_BY);
  await migratePostgresQueue(url, QUEUE_NAME, 10_000);
  const tables = [...Object.keys(KEYS), 'asset_number'];
  const triggers = (change: 'enable' | 'disable') =>
    tables.map((table) => `alter table ${table} ${change} trigger user;`).join('\n');
  await sql
    .raw(`begin; ${triggers('disable')} ${await readFixture('ledger.sql')} ${triggers('enable')} commit`)
    .execute(db);
}

export const caller = JSON.parse(await readFixture('caller.json')) as Credentials;

/** The name of each order's batch, by the order's id. */
const NAMES = new Map<string, string>(
  stored.flatMap(({ sent, answer }) => answer.map(({ licenseOrderId }) => [licenseOrderId, sent.channelOrderId])),
);
export const findBatchName = (licenseOrderId: unknown) => NAMES.get(String(licenseOrderId)) ?? null;

export const CUSTOMER_NAMES: Record<string, string> = { 100001: 'A', 100002: 'B', 100003: 'C', 100004: 'D' };

/**
 * Reads what is active on the assets of a number: their customer, their grants, and the order that holds each thing.
 */
export function summarizeLedger(rows: Rows, assetNum: string) {
  const assets = Object.values(rows.asset!).filter((asset) => asset.asset_num === assetNum);
  const active = assets.find((asset) => asset.revoked_time === null);
  if (active === undefined) return assets.map((asset) => `revoked by ${findBatchName(asset.revoked_by_order_id)}`);
  const on = (table: string) =>
    Object.values(rows[table]!).filter((row) => row.asset_id === active.id && row.revoked_time === null);
  const holder = (row: Record<string, unknown>) => findBatchName(row.held_by_order_id ?? row.license_order_id);
  return {
    customer: CUSTOMER_NAMES[String(active.customer_id)],
    grants: on('asset_grant')
      .map((row) => findBatchName(row.license_order_id))
      .toSorted(),
    products: on('product_instance')
      .map((row) => `${row.product_uri} of ${holder(row)}`)
      .toSorted(),
    merchandises: on('merchandise_instance')
      .map((row) => `${row.merchandise_num} of ${holder(row)}`)
      .toSorted(),
  };
}

import type { Database } from '@lockstep/platform';
import { contentOfTables } from '../harness/databases/tables.ts';

/** Which tables an operation may change where it is not refused; the others change none. */
const HOLDINGS = ['asset_assignment', 'asset_lending'];
const LEDGER = [
  'asset',
  'asset_transfer',
  'asset_grant',
  'merchandise_instance',
  'product_terms',
  'product_instance',
  ...HOLDINGS,
];
const CHANGES: Record<string, readonly string[]> = {
  bindCustomer: ['enterprise', 'channel', 'customer'],
  createEnterprise: ['enterprise', 'channel', 'customer', 'member'],
  updateCustomer: ['customer'],
  createBatchOrder: ['batch', 'lane_chunk', 'license_order', 'failed_order', 'event', 'order_activity', ...LEDGER],
  cancelBatchOrder: ['batch', 'lane_chunk', 'license_order', 'failed_order', 'event', 'order_activity'],
  lockAssets: ['asset', 'lock_audit'],
  unlockAssets: ['asset', 'lock_audit'],
  takeAssetNumbers: ['asset_number'],
  createWebhook: ['webhook'],
  deleteWebhook: ['webhook'],
  rotateWebhookSecret: ['webhook'],
  enableWebhook: ['webhook'],
  testWebhook: ['webhook_delivery'],
  addEmployees: ['member', 'member_audit'],
  editEmployee: ['member', 'member_audit'],
  resetPassword: ['member', 'member_audit'],
  deleteEmployee: ['member', 'member_audit', ...HOLDINGS],
  configureAssets: ['member_audit', ...HOLDINGS],
  lendAssets: ['member_audit', ...HOLDINGS],
};
/** Tokens come and go with logins, and failed logins are counted. */
const OF_LOGINS = ['access_token', 'login_failure'];

type Content = Awaited<ReturnType<typeof contentOfTables>>;

/** Compares what is stored before and after groups of calls. */
export class Effects {
  readonly #db: Database;
  #before: Content;

  private constructor(db: Database, before: Content) {
    this.#db = db;
    this.#before = before;
  }

  static async watch(db: Database): Promise<Effects> {
    return new Effects(db, await contentOfTables(db));
  }

  /** Forgets what has changed until now. */
  async reset(): Promise<void> {
    this.#before = await contentOfTables(this.#db);
  }

  /**
   * What has changed since the last look although nothing accepted explains it, a line each. `accepted`: the operations
   * of the calls that were not refused; `batches`: how many batches and orders they stored.
   */
  async unexplained(accepted: readonly string[], stored: { batches: number; orders: number }): Promise<string[]> {
    const before = this.#before;
    const after = await contentOfTables(this.#db);
    this.#before = after;
    const explained = new Set([...OF_LOGINS, ...accepted.flatMap((operationId) => CHANGES[operationId] ?? [])]);
    const lines = Object.keys(after)
      .filter((table) => !explained.has(table) && after[table]!.digest !== before[table]?.digest)
      .map((table) => `${table} changed, from ${before[table]?.rows} to ${after[table]!.rows} rows`);
    const more = (table: string) => after[table]!.rows - before[table]!.rows;
    if (more('batch') !== stored.batches) lines.push(`${more('batch')} batches stored, ${stored.batches} accepted`);
    if (more('license_order') !== stored.orders) {
      lines.push(`${more('license_order')} orders stored, ${stored.orders} accepted`);
    }
    return lines;
  }
}

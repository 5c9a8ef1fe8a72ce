import type { Database } from '@lockstep/platform';
import { contentOfTables } from '../harness/databases/tables.ts';

/** Tables that each operation may change if it succeeds. Operations not listed may change none. */
const HOLDINGS = ['asset_assignment', 'asset_lending', 'ended_holding'];
const LEDGER = [
  ...['customer_contact', 'asset', 'asset_transfer', 'asset_grant', 'merchandise_instance', 'product_terms'],
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
  freezeAssets: ['asset', 'lock_audit'],
  unfreezeAssets: ['asset', 'lock_audit'],
  takeAssetNumbers: ['asset_number'],
  createWebhook: ['webhook'],
  deleteWebhook: ['webhook', 'webhook_old_secret'],
  updateWebhook: ['webhook'],
  rotateWebhookSecret: ['webhook', 'webhook_old_secret'],
  pauseWebhook: ['webhook'],
  resumeWebhook: ['webhook'],
  resendDelivery: ['webhook_delivery'],
  enableWebhook: ['webhook'],
  testWebhook: ['webhook_delivery'],
  addEmployees: ['member', 'member_audit'],
  editEmployee: ['member', 'member_audit'],
  resetPassword: ['member', 'member_audit'],
  deleteEmployee: ['member', 'member_audit', ...HOLDINGS],
  configureAssets: ['member_audit', ...HOLDINGS],
  configureEmployees: ['member_audit', ...HOLDINGS],
  lendAssets: ['member_audit', ...HOLDINGS],
};
/** Logins change these tables at any time. */
const OF_LOGINS = ['access_token', 'login_failure'];

/** Compares stored data before and after groups of calls. */
export async function watchEffects(db: Database) {
  let before = await contentOfTables(db);
  return {
    /** Accepts all changes so far. */
    async reset(): Promise<void> {
      before = await contentOfTables(db);
    },
    /** Returns a line for each change since the last call that none of the `accepted` operations explains. */
    async unexplained(accepted: readonly string[]): Promise<string[]> {
      const after = await contentOfTables(db);
      const explained = new Set([...OF_LOGINS, ...accepted.flatMap((operationId) => CHANGES[operationId] ?? [])]);
      const lines = Object.keys(after)
        .filter((table) => !explained.has(table) && after[table]!.digest !== before[table]?.digest)
        .map((table) => `${table} changed, from ${before[table]?.rows} to ${after[table]!.rows} rows`);
      before = after;
      return lines;
    },
  };
}

import { readRefusals, searchApplications } from '@lockstep/access/operator';
import { listAssets } from '@lockstep/assets';
import { findAssetOfNumber } from '@lockstep/assets/operator';
import { AssetListQuery, AssetNumParams, type BatchId, type LicenseOrderId, type WebhookId } from '@lockstep/contract';
import { includesRole, type SearchHit } from '@lockstep/contract/console';
import { searchChannels, searchCustomers, searchEnterprises } from '@lockstep/customers/operator';
import { searchEmployees } from '@lockstep/members/operator';
import { type Operator, searchOperators } from '@lockstep/operators';
import { listBatches, readOrder } from '@lockstep/orders';
import { readAnyBatch, showBatch, showSentOrder } from '@lockstep/orders/operator';
import { type Database, isId } from '@lockstep/platform';
import { findWebhook, showSentWebhook } from '@lockstep/webhooks/operator';
import type { ConsoleHandlers } from '../operations.ts';

/** The most hits of one kind. */
const MAX_HITS = 5;

type Hit = Omit<SearchHit, 'kind'>;
const hit = (id: string, name: string, detail: Hit['detail'], state: Hit['state'] = null): Hit => {
  return { id, name, detail, state };
};
type Finder = (db: Database, text: string, operator: Operator) => Promise<Hit[]>;

/** Handler of the search by id, number or name (rules 9 Search). */
export const searchHandlers = {
  search: async ({ db, query: { text } }, operator) => {
    const hits: SearchHit[] = [];
    // Runs one after the other, so that a search uses one connection.
    for (const [kind, find] of Object.entries(FINDERS) as [SearchHit['kind'], Finder][]) {
      const found = await find(db, text, operator);
      hits.push(...found.slice(0, MAX_HITS).map((each) => ({ kind, ...each })));
    }
    return { hits };
  },
} satisfies ConsoleHandlers;

/** What finds the hits of each kind, in the order in which they are shown. */
const FINDERS: Record<SearchHit['kind'], Finder> = {
  order: async (db, text, operator) => {
    const found = isId(text) ? await readOrder(db, operator, text as LicenseOrderId) : undefined;
    if (found === undefined) return [];
    return [hit(text, text, found.channel_order_id, showSentOrder(found).state)];
  },

  batch: async (db, text, operator) => {
    const query = { appKey: undefined, channelCode: undefined, channelOrderId: text, limit: MAX_HITS };
    // A trailing * would search by prefix.
    const { batches } = text.endsWith('*') ? { batches: [] } : await listBatches(db, operator, query, showBatch);
    const byId = isId(text) ? await readAnyBatch(db, operator, text as BatchId) : undefined;
    return [...batches, ...(byId === undefined ? [] : [byId.shown])].map((batch) =>
      hit(batch.batchId, batch.channelOrderId, batch.applicationName, batch.state),
    );
  },

  /** Assets of this number, and active ones whose number begins with it. */
  asset: async (db, text, operator) => {
    const { data: { assetNum } = {} } = AssetNumParams.safeParse({ assetNum: text });
    if (assetNum === undefined) return [];
    const exact = await findAssetOfNumber(db, operator, assetNum);
    const { assets } = await listAssets(db, operator, AssetListQuery.parse({ assetNum, limit: String(MAX_HITS) }));
    const numbers = new Set([...(exact ? [assetNum] : []), ...assets.map((asset) => asset.assetNum)]);
    const stateOf = (num: string) => (num === assetNum && exact?.active === null ? 'revoked' : null);
    return [...numbers].map((num) => hit(num, num, null, stateOf(num)));
  },

  enterprise: async (db, text, operator) =>
    (await searchEnterprises(db, operator, text, MAX_HITS)).map(({ enterpriseGlobalId, name, code }) =>
      hit(enterpriseGlobalId, name, code),
    ),

  customer: async (db, text, operator) =>
    (await searchCustomers(db, operator, text, MAX_HITS)).map((found) =>
      hit(found.customerId, found.customerName, `${found.channelCode} ${found.channelCustomerId}`),
    ),

  employee: async (db, text, operator) =>
    (await searchEmployees(db, operator, text, MAX_HITS)).map(({ enterpriseGlobalId, name, account }) =>
      hit(enterpriseGlobalId, name, account),
    ),

  application: async (db, text, operator) =>
    (await searchApplications(db, operator, text, MAX_HITS)).map(({ appKey, name, status }) =>
      hit(appKey, name, appKey, status === 'approved' ? null : status),
    ),

  channel: async (db, text, operator) =>
    (await searchChannels(db, operator, text, MAX_HITS)).map(({ code, isPaused }) =>
      hit(code, code, null, isPaused ? 'paused' : null),
    ),

  webhook: async (db, text, operator) => {
    const found = await findWebhook(db, operator, text as WebhookId);
    if (found === undefined) return [];
    const { url, applicationName, state } = showSentWebhook(found);
    return [hit(text, url, applicationName, state)];
  },

  refusal: async (db, text, operator) =>
    (await readRefusals(db, operator, { requestId: text, limit: MAX_HITS })).refusals.map((found) =>
      hit(text, text, `${found.operation} ${found.cause}`),
    ),

  operator: async (db, text, { role }) =>
    (includesRole(role, 'admin') ? await searchOperators(db, text, MAX_HITS) : []).map((found) =>
      hit(found.name, found.name, found.role, found.isDisabled ? 'disabled' : null),
    ),
};

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
type Finder = (db: Database, text: string, operator: Operator) => Promise<Hit[]>;

/** Handler of the search by id, number or name (rules 9 Search). */
export const searchHandlers = {
  search: async ({ db, query: { text } }, operator) => {
    const hits: SearchHit[] = [];
    // Runs one after the other, so that a search uses one connection.
    for (const [kind, find] of Object.entries(FINDERS) as [SearchHit['kind'], Finder][]) {
      const found = await find(db, text, operator);
      hits.push(...found.slice(0, MAX_HITS).map((hit) => ({ kind, ...hit })));
    }
    return { hits };
  },
} satisfies ConsoleHandlers;

/** What finds the hits of each kind, in the order in which they are shown. */
const FINDERS: Record<SearchHit['kind'], Finder> = {
  order: async (db, text, operator) => {
    const found = isId(text) ? await readOrder(db, operator, text as LicenseOrderId) : undefined;
    if (found === undefined) return [];
    return [{ id: text, name: text, detail: found.channel_order_id, state: showSentOrder(found).state }];
  },

  batch: async (db, text, operator) => {
    const query = { appKey: undefined, channelCode: undefined, channelOrderId: text, limit: MAX_HITS };
    // A trailing * would search by prefix.
    const { batches } = text.endsWith('*') ? { batches: [] } : await listBatches(db, operator, query, showBatch);
    const byId = isId(text) ? await readAnyBatch(db, operator, text as BatchId) : undefined;
    return [...batches, ...(byId === undefined ? [] : [byId.shown])].map(
      ({ batchId, channelOrderId, applicationName, state }) => ({
        ...{ id: batchId, name: channelOrderId, detail: applicationName, state },
      }),
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
    return [...numbers].map((num) => ({ id: num, name: num, detail: null, state: stateOf(num) }));
  },

  enterprise: async (db, text, operator) =>
    (await searchEnterprises(db, operator, text, MAX_HITS)).map(({ enterpriseGlobalId: id, name, code }) => ({
      ...{ id, name, detail: code, state: null },
    })),

  customer: async (db, text, operator) =>
    (await searchCustomers(db, operator, text, MAX_HITS)).map((found) => ({
      id: found.customerId,
      name: found.customerName,
      detail: `${found.channelCode} ${found.channelCustomerId}`,
      state: null,
    })),

  employee: async (db, text, operator) =>
    (await searchEmployees(db, operator, text, MAX_HITS)).map(({ enterpriseGlobalId: id, name, account }) => ({
      ...{ id, name, detail: account, state: null },
    })),

  application: async (db, text, operator) =>
    (await searchApplications(db, operator, text, MAX_HITS)).map(({ appKey, name, status }) => ({
      ...{ id: appKey, name, detail: appKey, state: status === 'approved' ? null : status },
    })),

  channel: async (db, text, operator) =>
    (await searchChannels(db, operator, text, MAX_HITS)).map(({ code, isPaused }) => ({
      ...{ id: code, name: code, detail: null, state: isPaused ? 'paused' : null },
    })),

  webhook: async (db, text, operator) => {
    const found = await findWebhook(db, operator, text as WebhookId);
    if (found === undefined) return [];
    const { url, applicationName, state } = showSentWebhook(found);
    return [{ id: text, name: url, detail: applicationName, state }];
  },

  refusal: async (db, text, operator) =>
    (await readRefusals(db, operator, { requestId: text, limit: MAX_HITS })).refusals.map((found) => ({
      ...{ id: text, name: text, detail: `${found.operation} ${found.cause}`, state: null },
    })),

  operator: async (db, text, { role }) =>
    (includesRole(role, 'admin') ? await searchOperators(db, text, MAX_HITS) : []).map(
      ({ name, isDisabled, ...found }) => ({
        ...{ id: name, name, detail: found.role, state: isDisabled ? 'disabled' : null },
      }),
    ),
};

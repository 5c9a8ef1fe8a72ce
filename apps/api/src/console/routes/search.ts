import { listApplicationPage } from '@lockstep/access/operator';
import { findAssetOfNumber } from '@lockstep/assets/operator';
import { AssetNumParams, type BatchId, type LicenseOrderId } from '@lockstep/contract';
import type { SearchHit } from '@lockstep/contract/console';
import { listEnterprises, searchCustomers } from '@lockstep/customers/operator';
import type { Operator } from '@lockstep/operators';
import { listBatches, readOrder } from '@lockstep/orders';
import { readAnyBatch, showBatch } from '@lockstep/orders/operator';
import { type Database, isId } from '@lockstep/platform';
import type { ConsoleHandlers } from '../operations.ts';

/** The most hits of one kind. */
const MAX_HITS = 5;

/** The kinds of hits, each found by its own index. */
const KINDS = [findOrders, findBatches, findAssets, findApplications, findEnterprises, findCustomers];

/** Handler of the search by id, number or name. */
export const searchHandlers = {
  search: async (request, operator) => {
    const hits: SearchHit[] = [];
    // Runs one after the other, so that a search uses one connection.
    for (const find of KINDS) hits.push(...(await find(request.db, operator, request.query.text)).slice(0, MAX_HITS));
    return { hits };
  },
} satisfies ConsoleHandlers;

async function findOrders(db: Database, operator: Operator, text: string): Promise<SearchHit[]> {
  if (!isId(text)) return [];
  const found = await readOrder(db, operator, text as LicenseOrderId);
  return found === undefined ? [] : [{ kind: 'order', id: text, name: text, detail: found.channel_order_id }];
}

async function findBatches(db: Database, operator: Operator, text: string): Promise<SearchHit[]> {
  const query = { appKey: undefined, channelCode: undefined, channelOrderId: text, limit: MAX_HITS };
  // A trailing * would search by prefix.
  const { batches } = text.endsWith('*') ? { batches: [] } : await listBatches(db, operator, query, showBatch);
  const byId = isId(text) ? await readAnyBatch(db, operator, text as BatchId) : undefined;
  return [...batches, ...(byId === undefined ? [] : [byId.shown])].map(
    ({ batchId, channelOrderId, applicationName }): SearchHit => ({
      kind: 'batch',
      id: batchId,
      name: channelOrderId,
      detail: applicationName,
    }),
  );
}

async function findAssets(db: Database, operator: Operator, text: string): Promise<SearchHit[]> {
  const { data: { assetNum } = {} } = AssetNumParams.safeParse({ assetNum: text });
  if (assetNum === undefined || (await findAssetOfNumber(db, operator, assetNum)) === undefined) return [];
  return [{ kind: 'asset', id: assetNum, name: assetNum, detail: null }];
}

async function findApplications(db: Database, operator: Operator, text: string): Promise<SearchHit[]> {
  const { applications } = await listApplicationPage(db, operator, {
    search: text,
    status: undefined,
    limit: MAX_HITS,
  });
  return applications.map(({ appKey, name }) => ({ kind: 'application', id: appKey, name, detail: appKey }));
}

async function findEnterprises(db: Database, operator: Operator, text: string): Promise<SearchHit[]> {
  const { exact, enterprises } = await listEnterprises(db, operator, { text, limit: MAX_HITS });
  const found = new Map([...exact, ...enterprises].map((each) => [each.enterpriseGlobalId, each]));
  return [...found.values()].map(({ enterpriseGlobalId, name, code }) => ({
    kind: 'enterprise',
    id: enterpriseGlobalId,
    name,
    detail: code,
  }));
}

async function findCustomers(db: Database, operator: Operator, text: string): Promise<SearchHit[]> {
  const asked = { text, enterpriseGlobalId: undefined, channelCode: undefined, limit: MAX_HITS };
  const { exact, customers } = await searchCustomers(db, operator, asked);
  const found = new Map([...exact, ...customers].map((each) => [each.customerId, each]));
  return [...found.values()].map(({ enterpriseGlobalId, customerName, channelCode, channelCustomerId }) => ({
    kind: 'customer',
    id: enterpriseGlobalId,
    name: customerName,
    detail: `${channelCode} ${channelCustomerId}`,
  }));
}

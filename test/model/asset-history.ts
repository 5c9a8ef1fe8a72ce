import { AssetHistory, type HistoryEntry } from '@lockstep/contract';
import { z } from 'zod';
import { type Api, dataOf } from '../harness/api.ts';
import { expectSame } from './expect-same.ts';
import { type AssetValue, isActive, merchandisesOn, productsOn } from './ledger-value.ts';

/** An entry of an asset's history, comparable between model and service. `nth` tells the assets of one number apart. */
export interface Happening {
  assetNum: string;
  nth: number;
  action: string;
  order: string;
  customer: string;
  productUri: string | null;
}

const PAGE = '7';
const strictPage = z.strictObject({
  ...AssetHistory.shape,
  entries: z.array(z.strictObject(AssetHistory.shape.entries.element.shape)),
});

/** Returns what an order did to the assets, by comparing them before and after. Assets keep their indexes. */
export function findHappenings(
  before: readonly AssetValue[],
  after: readonly AssetValue[],
  order: string,
): Happening[] {
  const counts = new Map<string, number>();
  return after.flatMap((asset, index) => {
    const former = before[index];
    const { assetNum, customer } = asset;
    const nth = counts.get(assetNum) ?? 0;
    counts.set(assetNum, nth + 1);
    const happened = (action: string, productUri: string | null = null): Happening => {
      return { assetNum, nth, action, order, customer, productUri };
    };
    const isNew = (thing: { order: string }) => thing.order === order;
    const isEnded = (thing: { revokedBy: string | null }) => thing.revokedBy === order;
    const isGranted = former === undefined || asset.grants.length > former.grants.length;
    const granted = former === undefined ? 'created' : former.customer === customer ? 'extended' : 'transferred';
    return [
      ...(isGranted ? [happened(granted)] : []),
      ...(former !== undefined && isActive(former) && !isActive(asset) ? [happened('revoked')] : []),
      ...productsOn(asset).flatMap((product) => [
        ...(isNew(product) ? [happened('product_bought', product.productUri)] : []),
        ...(isEnded(product) ? [happened('product_revoked', product.productUri)] : []),
      ]),
      ...merchandisesOn(asset).flatMap((merchandise) => [
        ...(isNew(merchandise) ? [happened('merchandise_bought')] : []),
        ...(isEnded(merchandise) ? [happened('merchandise_revoked')] : []),
      ]),
    ];
  });
}

/** Reads the histories of all numbers over HTTP, page by page, and throws if one differs from the model's. */
export async function compareHistories(api: Api, happenings: readonly Happening[]): Promise<void> {
  for (const [assetNum, expected] of Map.groupBy(happenings, (each) => each.assetNum)) {
    const entries = await walkHistory(api, assetNum, PAGE);
    const assetIds = [...new Set(entries.map(({ assetId }) => assetId))].reverse();
    const actual = entries.toReversed().map(
      ({ assetId, action, licenseOrderId, customerId, productUri }): Happening => ({
        assetNum,
        nth: assetIds.indexOf(assetId),
        action,
        order: licenseOrderId!,
        customer: customerId!,
        productUri,
      }),
    );
    expectSame(`the history of ${assetNum}`, inSteps(actual), inSteps(expected));
  }
}

/** Reads a number's history, newest first, in pages of `limit` entries. */
export async function walkHistory(api: Api, assetNum: string, limit: string): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  const path = `/asset/${encodeURIComponent(assetNum)}/history`;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = strictPage.parse(dataOf(await api.call('GET', path, { query: { limit, cursor } })));
    entries.push(...page.entries);
    cursor = page.nextCursor;
  }
  return entries;
}

/** Sorts entries of the same order, because their sequence is unspecified. */
function inSteps(happenings: readonly Happening[]): Happening[] {
  const steps: Happening[][] = [];
  for (const each of happenings) {
    const last = steps.at(-1);
    if (last?.[0]?.order === each.order) last.push(each);
    else steps.push([each]);
  }
  const keyOf = (each: Happening) => JSON.stringify(each);
  return steps.flatMap((step) => step.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
}

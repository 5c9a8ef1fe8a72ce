import { AssetHistory, type HistoryEntry } from '@lockstep/contract';
import { z } from 'zod';
import { type Api, dataOf, readPages } from '../harness/api.ts';
import type { HoldingValue } from './acts.ts';
import { expectSame } from './expect-same.ts';
import { type AssetValue, isActive, merchandisesOn, productsOn } from './ledger-value.ts';

/** An entry of an asset's history, comparable between model and service. `nth` tells the assets of one number apart. */
export interface Happening {
  assetNum: string;
  nth: number;
  action: string;
  /** Null for an act. */
  order: string | null;
  customer: string;
  productUri: string | null;
  /** Of a holding: the employee, the lock, and the administrator. */
  member?: string;
  lock?: string | null;
  by?: string | null;
  /** Who ordered it, or changed the lock, and in which order or call. */
  cause?: { sender: string; call: string };
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

/** Returns the holdings that an order or an act ended and began, in the order of the history. */
export function findHeld(
  assets: readonly AssetValue[],
  before: readonly HoldingValue[],
  after: readonly HoldingValue[],
): Happening[] {
  const happened = (action: string, { asset, lock, member }: HoldingValue, by: string | null, order: string | null) => {
    const { assetNum, customer } = assets[asset]!;
    const lockNum = lock === null ? null : assets[lock]!.assetNum;
    const nth = nthOf(assets, asset);
    return { assetNum, nth, action, order, customer, productUri: null, member, lock: lockNum, by };
  };
  const ended = after.filter(({ ended }, index) => ended !== null && before[index]?.ended === null);
  const began = after.slice(before.length);
  return [
    ...ended
      .filter(({ lock }) => lock !== null)
      .map((each) => happened('returned', each, each.ended!.by, each.ended!.order)),
    ...ended
      .filter(({ lock }) => lock === null)
      .map((each) => happened('unassigned', each, each.ended!.by, each.ended!.order)),
    ...began.map((each) => happened(each.lock === null ? 'assigned' : 'lent', each, each.began, null)),
  ];
}

/** Returns the changes of locks and certificates. */
export function findStops(before: readonly AssetValue[], after: readonly AssetValue[]): Happening[] {
  return after.flatMap(({ assetNum, customer, stopped, licenseType }, index) => {
    if (stopped === before[index]!.stopped) return [];
    const undone = licenseType === 'softkey' ? 'unfrozen' : 'unlocked';
    return [{ assetNum, nth: nthOf(after, index), action: stopped ?? undone, order: null, customer, productUri: null }];
  });
}

/** Which of the assets of its number an asset is. */
const nthOf = (assets: readonly AssetValue[], index: number) =>
  assets.slice(0, index).filter(({ assetNum }) => assetNum === assets[index]!.assetNum).length;

/** Reads the histories of all numbers over HTTP, page by page, and throws if one differs from the model's. */
export async function compareHistories(api: Api, happenings: readonly Happening[]): Promise<void> {
  for (const [assetNum, expected] of Map.groupBy(happenings, (each) => each.assetNum)) {
    const entries = await walkHistory(api, assetNum, PAGE);
    const assetIds = [...new Set(entries.map(({ assetId }) => assetId))].reverse();
    const actual = entries.toReversed().map(
      ({ assetId, action, licenseOrderId, customerId, productUri, ...holding }): Happening => ({
        assetNum,
        nth: assetIds.indexOf(assetId),
        action,
        order: licenseOrderId,
        customer: customerId!,
        productUri,
        ...(holding.memberGlobalId !== null && {
          member: holding.memberGlobalId,
          lock: holding.lockAssetNum,
          by: holding.administratorGlobalId,
        }),
      }),
    );
    const listed = expected.map(({ cause: _, ...each }) => each);
    expectSame(`the history of ${assetNum}`, inSteps(actual), inSteps(listed));
  }
}

/** Reads a number's history, newest first, in pages of `limit` entries. */
export async function walkHistory(api: Api, assetNum: string, limit: string): Promise<HistoryEntry[]> {
  const path = `/asset/${encodeURIComponent(assetNum)}/history`;
  const pages = await readPages(async (cursor) =>
    strictPage.parse(dataOf(await api.call('GET', path, { query: { limit, cursor } }))),
  );
  return pages.flatMap(({ entries }) => entries);
}

/** Sorts entries of the same order, because their sequence is unspecified. */
function inSteps(happenings: readonly Happening[]): Happening[] {
  const steps: Happening[][] = [];
  for (const each of happenings) {
    const last = steps.at(-1);
    if (each.order !== null && last?.[0]?.order === each.order) last.push(each);
    else steps.push([each]);
  }
  const keyOf = (each: Happening) => JSON.stringify(each);
  return steps.flatMap((step) => step.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
}

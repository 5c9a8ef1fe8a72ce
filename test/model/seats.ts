import type { BorrowedLock, EnterpriseAsset, SeatCounts, Seats } from '@lockstep/contract';
import { dataOf } from '../harness/api.ts';
import type { MemberCenter } from '../harness/members/member-center.ts';
import { bounded, compareInTime, type Dates, judge, validityAt } from './asset-lists.ts';
import { isActive, productsOn } from './ledger-value.ts';
import type { Model } from './model.ts';
import type { Place } from './world.ts';

const MONTH_MS = 30 * 86_400_000;

/** Throws if the seats of an enterprise, M6 or M8 differ from the model (rules 8). */
export async function compareSeats({ db, centers }: Place, model: Model): Promise<void> {
  for (const center of centers) {
    await compareInTime(db, `what enterprise ${center.enterpriseId} has`, {
      expectedAt: (now) => expectRows(center, model, now),
      read: () => readRows(center),
    });
  }
}

async function readRows(center: MemberCenter): Promise<unknown[]> {
  const assets = dataOf(await center.ask('listEnterpriseAssets', {})) as EnterpriseAsset[];
  const locks = dataOf(await center.ask('listBorrowedLocks', {})) as BorrowedLock[];
  const { products, licenseTypes, total }: Seats = dataOf(await center.ask('getSeats', {}));
  return [
    ...assets.map(({ assetNum, cloudAccountGlobalId, borrowedFlag, validity, verdict }) => {
      return [assetNum, cloudAccountGlobalId, borrowedFlag, validity, verdict.reasons.map(({ reason }) => reason)];
    }),
    ...locks.map(({ assetNum, cloudAccountGlobalId }) => [assetNum, cloudAccountGlobalId]),
    ...products.map(({ productUri, productName: _, ...counts }) => [productUri, counts]),
    ...licenseTypes.map(({ licenseType, ...counts }) => [licenseType, counts]),
    ['total', total],
  ];
}

function expectRows({ enterpriseId }: MemberCenter, model: Model, now: number): unknown[] {
  const { assets, holdings } = model;
  const current = holdings.filter(({ ended }) => ended === null);
  const own = assets.flatMap((asset, index) =>
    isActive(asset) && model.enterpriseOf(asset.customer) === enterpriseId ? [{ asset, index }] : [],
  );
  const seats = new Map<string, SeatCounts>([['total', { ...NONE }]]);
  const rows = own.map(({ asset, index }) => {
    const { assetNum, borrowed, licenseType, stopped } = asset;
    const borrower = current.find(({ lock }) => lock === index)?.member ?? null;
    if (borrowed) return [assetNum, borrower];
    const held = current.filter((each) => each.asset === index);
    const holder = held[0]?.member ?? null;
    const isLent = held.some(({ lock }) => lock !== null);
    const products = Map.groupBy(productsOn(asset).filter(isActive), ({ productUri }) => productUri);
    const dates = [...products].map(([uri, all]) => [uri, all.map((product) => bounded(product, asset))] as const);
    for (const [key, periods] of [['total', [asset]], [licenseType, [asset]], ...dates] as const) {
      const counts = seats.get(key) ?? { ...NONE };
      seats.set(key, counts);
      addSeat(counts, periods, { isAssigned: holder !== null, isLent, isStopped: stopped !== null }, now);
    }
    const { validity, reasons } = judge(assets, holdings, index, now);
    return [assetNum, holder, isLent, validity, reasons];
  });
  return [...rows, ...seats];
}

const NONE: SeatCounts = { owned: 0, assigned: 0, lent: 0, free: 0, expired: 0, endingSoon: 0 };

function addSeat(
  counts: SeatCounts,
  periods: readonly Dates[],
  { isAssigned, isLent, isStopped }: Record<'isAssigned' | 'isLent' | 'isStopped', boolean>,
  now: number,
): void {
  const latestEnd = Math.max(...periods.map(({ end }) => end ?? Number.POSITIVE_INFINITY));
  const isOver = latestEnd < now;
  const isInForce = periods.some((period) => validityAt(now, period) === 'active');
  counts.owned += 1;
  counts.assigned += Number(isAssigned);
  counts.lent += Number(isLent);
  counts.free += Number(!isAssigned && !isStopped && !isOver);
  counts.expired += Number(isOver);
  counts.endingSoon += Number(isInForce && latestEnd <= now + MONTH_MS);
}

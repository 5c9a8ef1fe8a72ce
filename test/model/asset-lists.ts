import { AssetPage } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { type Api, dataOf, readPages } from '../harness/api.ts';
import type { HoldingValue } from './acts.ts';
import { expectSame } from './expect-same.ts';
import { type AssetValue, isActive, productsOn, sortedLedger } from './ledger-value.ts';
import type { Model } from './model.ts';

/** What a list says of an asset, comparable between model and service. */
interface Listed {
  assetNum: string;
  revokedBy: string | null;
  validity: string;
  reasons: string[];
  products: string[];
}

/** Lists all assets of a world and throws if one is not in force, or not usable, as the model says (rules 6.7). */
export async function compareLists(
  { db, api, numberPrefix }: { db: Database; api: Api; numberPrefix: string },
  { assets, holdings }: Pick<Model, 'assets' | 'holdings'>,
): Promise<void> {
  await compareInTime(db, 'the lists of assets', {
    // Those of each state, then all.
    expectedAt: (now) => [...assets, ...assets].map((_, index) => judge(assets, holdings, index % assets.length, now)),
    read: async () => {
      const listed = [];
      for (const state of ['active', 'revoked', 'all']) listed.push(...(await list(api, numberPrefix, state)));
      return listed;
    },
  });
}

/** Throws if what the service shows differs from what the model expects at that time, in any order. */
export async function compareInTime(
  db: Database,
  what: string,
  { expectedAt, read }: { expectedAt: (now: number) => unknown[]; read: () => Promise<unknown[]> },
): Promise<void> {
  const sorted = (rows: unknown[]) => sortedLedger(rows as AssetValue[]);
  for (;;) {
    const before = sorted(expectedAt(await readClock(db)));
    const actual = sorted(await read());
    // A time may have passed between the pages.
    if (JSON.stringify(before) !== JSON.stringify(sorted(expectedAt(await readClock(db))))) continue;
    return expectSame(what, actual, before);
  }
}

async function readClock(db: Database): Promise<number> {
  const { rows } = await sql<{
    now: number;
  }>`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db);
  return rows[0]!.now;
}

async function list(api: Api, assetNum: string, state: string): Promise<Listed[]> {
  const query = { assetNum, state, include: 'products', limit: '3' };
  const pages = await readPages(async (cursor) =>
    AssetPage.parse(dataOf(await api.ask('listAssets', { query: { ...query, cursor } }))),
  );
  return pages.flatMap(({ assets }) =>
    assets.map(({ verdict, products, ...asset }) => ({
      assetNum: asset.assetNum,
      revokedBy: asset.revokedByOrderId,
      validity: asset.validity,
      reasons: verdict.reasons.map(({ reason }) => reason),
      products: products!.map(({ productUri, validity }) => `${productUri} ${validity}`),
    })),
  );
}

export interface Dates {
  start: number | null;
  end: number | null;
}

/** "past its end it is `expired`, before its start `future`" (rules 6.7 Validity). */
export function validityAt(now: number, { start, end }: Dates): string {
  if (end !== null && now > end) return 'expired';
  return start === null || now >= start ? 'active' : 'future';
}

export function judge(
  assets: readonly AssetValue[],
  holdings: readonly HoldingValue[],
  index: number,
  now: number,
): Listed {
  const asset = assets[index]!;
  const current = holdings.filter(({ ended }) => ended === null);
  const lentInto = current.filter(({ lock }) => lock === index).map((loan) => assets[loan.asset]!);
  const productsAt = (each: AssetValue) =>
    productsOn(each)
      .filter(isActive)
      .map((product) => ({ productUri: product.productUri, validity: validityAt(now, bounded(product, each)) }));
  const products = productsAt(asset);
  const validity = validityAt(now, asset);
  const kinds = current.filter((each) => each.asset === index).map(({ lock }) => lock);
  const held = { isAssigned: kinds.includes(null), isLent: kinds.some((lock) => lock !== null) };
  return {
    assetNum: asset.assetNum,
    revokedBy: asset.revokedBy,
    validity,
    reasons: isActive(asset)
      ? reasonsOf(asset, validity, [...products, ...lentInto.flatMap(productsAt)], held)
      : ['revoked'],
    products: products.map((product) => `${product.productUri} ${product.validity}`),
  };
}

/** "the dates of the asset that it was bought for count too: the later start, the earlier end". */
export function bounded({ start, end }: Dates, asset: Dates): Dates {
  const starts = [start, asset.start].filter((each) => each !== null);
  const ends = [end, asset.end].filter((each) => each !== null);
  return { start: starts.length > 0 ? Math.max(...starts) : null, end: ends.length > 0 ? Math.min(...ends) : null };
}

/** The reasons against an active asset, most important first (rules 6.7 Verdict). */
function reasonsOf(
  { borrowed, stopped }: AssetValue,
  validity: string,
  products: { validity: string }[],
  { isAssigned, isLent }: { isAssigned: boolean; isLent: boolean },
): string[] {
  const isInForce = products.some((product) => product.validity === 'active');
  const isNext = products.some((product) => product.validity === 'future');
  const ofProducts = products.length === 0 || isInForce ? [] : [isNext ? 'not_yet' : 'expired'];
  return [
    ...(stopped === null ? [] : [stopped]),
    ...({ expired: ['expired'], future: ['not_yet'] }[validity] ?? ofProducts),
    ...(isLent ? ['lent'] : []),
    ...(borrowed || isAssigned ? [] : ['unassigned']),
    ...(products.length === 0 ? ['empty'] : []),
  ];
}

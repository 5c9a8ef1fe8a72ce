import { listAssets } from '@lockstep/assets';
import { countExpiring } from '@lockstep/assets/operator';
import type { AssetListQuery, ListHoldings, MemberId, Viewer } from '@lockstep/contract';
import { OPERATOR, operatorIn } from '@lockstep/contract/operator';
import { listCustomers } from '@lockstep/customers';
import { listEnterprises, searchCustomers, searchEnterprises } from '@lockstep/customers/operator';
import { listHoldings } from '@lockstep/members';
import { searchEmployees } from '@lockstep/members/operator';
import { afterAll, expect, it, vi } from 'vitest';
import { costOfSent, recordQueries } from '../harness/databases/explain.ts';
import { fillWithAssets } from '../harness/databases/many-assets.ts';
import { testDatabase } from '../harness/stack.ts';

/** The cost of a page of assets among a million: by indexes, and a bounded number of rows (rules 6.7). */

const { db } = await testDatabase();
await fillWithAssets(db, { assets: 1_000_000, productsPerAsset: 1 });
const sent = recordQueries();
afterAll(() => void vi.restoreAllMocks());

const bound = { applicationId: '1', channels: ['small'] } as unknown as Viewer;
const time = (iso: string) => Date.parse(iso);
const month = { expiresFrom: time('2030-05-01T00:00Z'), expiresTo: time('2030-05-31T23:59:59.999Z') };
const MAX_ROWS = 30_000;

/** Reads the first pages, and one at which the walk may have become longer. */
async function expectBounded(
  read: (cursor: string | undefined) => Promise<{ nextCursor: string | null }>,
  maxRows: number,
): Promise<void> {
  let cursor: string | undefined;
  for (let page = 0; page < 3; page++) {
    sent.length = 0;
    const { nextCursor } = await read(cursor);
    const { rowsRead, wholeTables } = await costOfSent(db, sent);
    expect(wholeTables).toEqual([]);
    expect(rowsRead).toBeLessThan(maxRows);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
}

it.each<[who: string, by: Viewer, filters: Partial<Record<keyof AssetListQuery, unknown>>]>([
  ['an operator', OPERATOR, {}],
  ['an operator', OPERATOR, { state: 'revoked' }],
  ['an operator', OPERATOR, { assetNum: 'A15' }],
  ['an operator', OPERATOR, { assetNum: 'A1', state: 'revoked' }],
  ['an operator', OPERATOR, { customerId: '1000000' }],
  ['an operator', OPERATOR, { customerId: '1000000', state: 'revoked' }],
  ['an operator', OPERATOR, { customerId: '1000000', ...month }],
  ['an operator', OPERATOR, { enterpriseGlobalId: '1000000', validity: 'expired' }],
  ['an operator', OPERATOR, month],
  ['an operator', OPERATOR, { ...month, productUri: 'gms-1', include: 'products' }],
  ['an operator', OPERATOR, { ...month, productUri: 'none' }],
  ['an operator', OPERATOR, { updatedFrom: time('2024-01-01T00:00Z'), licenseType: 'cloud_account' }],
  ['an operator', OPERATOR, { state: 'all', reason: 'unassigned' }],
  ['an operator', OPERATOR, { channelCode: 'small', assigned: 'true' }],
  ['a bound application', bound, {}],
  ['a bound application', bound, { ...month }],
  ['a bound application', bound, { updatedFrom: time('2024-01-01T00:00Z') }],
  ['a bound application', bound, { state: 'revoked', include: 'counts' }],
])('%s %#: assets %j', async (_, by, filters) => {
  const query = { state: 'active', limit: 50, ...filters } as AssetListQuery;
  await expectBounded((cursor) => listAssets(db, by, { ...query, cursor }), MAX_ROWS);
});

const years = { ...month, expiresTo: time('2040-01-01T00:00Z') };
it.each<[who: string, by: Viewer, period: typeof month, isCut: boolean]>([
  ['an operator', OPERATOR, month, false],
  ['an operator', OPERATOR, years, true],
  ['a limited operator', operatorIn(['small']), years, true],
])('%s: who owns what ends in %j', async (_, by, period, isCut) => {
  sent.length = 0;
  expect((await countExpiring(db, by, period)).firstEnds !== null).toBe(isCut);
  const { rowsRead, wholeTables } = await costOfSent(db, sent);
  expect(wholeTables).toEqual([]);
  expect(rowsRead).toBeLessThan(2 * MAX_ROWS);
});

type Tenant = Parameters<typeof listHoldings>[1];
const ofAll = { enterpriseId: '1000000', channels: null } as unknown as Tenant;
const ofSmall = { ...ofAll, channels: ['small'] };
it.each<[tenant: Tenant, filters: Partial<ListHoldings>]>([
  [ofAll, {}],
  [ofAll, { state: 'current' }],
  [ofAll, { memberGlobalId: '1000000' as MemberId }],
  [ofAll, { memberGlobalId: '2000000' as MemberId }],
  [ofAll, { assetNum: 'A1000050' }],
  [ofSmall, {}],
])('holdings of an enterprise with 100,000 assets, %j %j', async (tenant, filters) => {
  const query = { limit: 50, ...filters } as ListHoldings;
  await expectBounded((cursor) => listHoldings(db, tenant, { ...query, cursor }), 2 * MAX_ROWS);
});

it.each<[Viewer, object]>([
  [OPERATOR, {}],
  [OPERATOR, { name: 'customer 9' }],
  [OPERATOR, { channelCode: 'small' }],
  [OPERATOR, { channelCustomerId: 'C77' }],
  [bound, {}],
  [bound, { name: 'customer' }],
])('customers %j %j', async (by, filters) => {
  sent.length = 0;
  const { customers } = await listCustomers(db, by, { limit: 50, ...filters } as never);
  expect(customers).not.toEqual([]);
  const { rowsRead, wholeTables } = await costOfSent(db, sent);
  expect(wholeTables).toEqual([]);
  expect(rowsRead).toBeLessThan(MAX_ROWS);
});

const limited = operatorIn(['small']);
it.each<[what: string, find: () => Promise<unknown>, maxRows: number]>([
  ['a rare part', () => searchEnterprises(db, OPERATOR, 'S 123', 5), 100],
  ['a whole number', () => searchCustomers(db, OPERATOR, 'C4711', 5), 100],
  ['what all customers have', () => searchCustomers(db, OPERATOR, 'CUSTOMER', 5), MAX_ROWS],
  ['what all employees have', () => searchEmployees(db, OPERATOR, 'LOY', 5), MAX_ROWS],
  ['what all customers have, in a small channel', () => searchCustomers(db, limited, 'CUSTOMER', 5), MAX_ROWS],
  [
    'a page of what all enterprises have',
    () => listEnterprises(db, OPERATOR, { text: 'ork', limit: 50 } as never),
    MAX_ROWS,
  ],
])('a search for %s', async (_, find, maxRows) => {
  sent.length = 0;
  expect(await find()).not.toEqual([]);
  const { rowsRead, wholeTables } = await costOfSent(db, sent);
  expect(wholeTables).toEqual([]);
  expect(rowsRead).toBeLessThan(maxRows);
});

import type { EnterpriseAsset, Holding, ListedEmployee, SeatCounts } from '@lockstep/contract';
import type { ListOptions } from '../options.ts';
import { printList, readAll } from '../output/lists.ts';
import { formatTable } from '../output/table.ts';
import { say } from '../output/terminal.ts';
import { type Column, describeEnd, formatTime, nameAdministrator } from '../output/values.ts';
import type { OrderClient } from './client.ts';
import { formatOf } from './export.ts';

/** A page as lists of the command read it. */
type PageQuery = { limit: string; cursor: string | undefined };

/** The largest page of the member center. */
const MAX_PAGE = 500;

const SEAT_COLUMNS: readonly Column<SeatCounts & { of: string; name: string | null }>[] = [
  { head: 'product or license type', cell: ({ of }) => of, wraps: true },
  { head: 'name', cell: ({ name }) => name, wraps: true },
  ...(['owned', 'assigned', 'lent', 'free', 'expired'] as const).map((name) => countOf(name, name)),
  countOf('endingSoon', 'ending in 30 days'),
];

function countOf(name: keyof SeatCounts, head: string): Column<SeatCounts> {
  return { head, cell: (counts) => counts[name], isRight: true };
}

/** Prints the seats of each product, of each license type and of all assets. */
export async function showSeats(client: OrderClient, options: ListOptions): Promise<void> {
  const format = formatOf(options);
  if (format) return await client.export('getSeats', { params: client.enterprise }, format);
  const seats = await client.call('getSeats', { params: client.enterprise });
  if (options.json) return say(JSON.stringify(seats));
  const rows = [
    ...seats.products.map(({ productUri, productName, ...counts }) => ({
      of: productUri,
      name: productName,
      ...counts,
    })),
    ...seats.licenseTypes.map(({ licenseType, ...counts }) => ({ of: licenseType, name: null, ...counts })),
    { of: 'all assets', name: null, ...seats.total },
  ];
  say(formatTable(SEAT_COLUMNS, rows));
}

const EMPLOYEE_COLUMNS: readonly Column<ListedEmployee>[] = [
  { head: 'memberGlobalId', cell: ({ globalId }) => globalId, isRight: true },
  { head: 'account', cell: ({ userName }) => userName },
  { head: 'name', cell: ({ name }) => name, wraps: true },
  { head: 'assets', cell: ({ assetNums }) => assetNums.join(' '), wraps: true },
  { head: 'lent into', cell: ({ borrowNum }) => borrowNum, wraps: true },
];

/** Prints the employees with their assets. */
export async function listEmployees(client: OrderClient, options: ListOptions & { keyword?: string }): Promise<void> {
  const { keyword } = options;
  const format = formatOf(options);
  if (format) return await client.export('listEmployees', { params: client.enterprise, query: { keyword } }, format);
  const readPage = (page: PageQuery) => readEmployees(client, page, keyword);
  await printList(readPage, EMPLOYEE_COLUMNS, options);
}

const ASSET_COLUMNS: readonly Column<EnterpriseAsset>[] = [
  { head: 'asset number', cell: ({ assetNum }) => assetNum },
  { head: 'assetId', cell: ({ assetId }) => assetId, isRight: true },
  { head: 'employee', cell: ({ cloudAccountGlobalId }) => cloudAccountGlobalId, isRight: true },
  {
    head: 'state',
    cell: ({ verdict }) => verdict.reasons.map(({ reason }) => reason).join(', ') || 'usable',
    wraps: true,
  },
];

/** Prints the assets with their employees. */
export async function listAssets(client: OrderClient, options: ListOptions): Promise<void> {
  const format = formatOf(options);
  if (format) return await client.export('listEnterpriseAssets', { params: client.enterprise }, format);
  await printList((page) => readAssets(client, page), ASSET_COLUMNS, options);
}

const HOLDING_COLUMNS: readonly Column<Holding>[] = [
  { head: 'asset number', cell: ({ assetNum }) => assetNum },
  { head: 'lent into', cell: ({ lockAssetNum }) => lockAssetNum },
  { head: 'employee', cell: ({ memberAccount }) => memberAccount },
  { head: 'began', cell: ({ beganTime }) => formatTime(beganTime) },
  { head: 'begun by', cell: ({ beganBy }) => nameAdministrator(beganBy) },
  { head: 'ended', cell: ({ endedTime }) => formatTime(endedTime) },
  {
    head: 'ended by',
    cell: ({ licenseOrderId, endedByGlobalId, endCause }) =>
      [
        licenseOrderId ? `order ${licenseOrderId}` : endedByGlobalId && nameAdministrator(endedByGlobalId),
        describeEnd(endCause),
      ]
        .filter(Boolean)
        .join(', '),
    wraps: true,
  },
];

/** Prints the assignments and loans, current and ended. */
export async function listHoldings(
  client: OrderClient,
  options: ListOptions & { member?: string; number?: string; state?: 'current' | 'ended' },
): Promise<void> {
  const { member: memberGlobalId, number: assetNum, state } = options;
  const filters = { memberGlobalId, assetNum, state };
  const format = formatOf(options);
  if (format) return await client.export('listHoldings', { params: client.enterprise, query: filters }, format);
  const readPage = async (page: PageQuery) => {
    const query = { ...page, ...filters };
    const { holdings, nextCursor } = await client.call('listHoldings', { params: client.enterprise, query });
    return { items: holdings, nextCursor };
  };
  await printList(readPage, HOLDING_COLUMNS, options);
}

/** Reads all employees and all assets of the enterprise. */
export async function readEnterprise(client: OrderClient) {
  const employees = await readAll((page) => readEmployees(client, page), MAX_PAGE);
  return { employees, assets: await readAll((page) => readAssets(client, page), MAX_PAGE) };
}

async function readEmployees(client: OrderClient, page: PageQuery, keyword?: string) {
  const query = { ...pageOf(page), keyword };
  const { list, nextCursor } = await client.call('listEmployees', { params: client.enterprise, query });
  return { items: list, nextCursor };
}

async function readAssets(client: OrderClient, page: PageQuery) {
  const data = await client.call('listEnterpriseAssets', { params: client.enterprise, query: pageOf(page) });
  return Array.isArray(data) ? { items: data, nextCursor: null } : { items: data.list, nextCursor: data.nextCursor };
}

const pageOf = ({ limit, cursor }: PageQuery) => ({ pageNum: '1', pageSize: limit, cursor });

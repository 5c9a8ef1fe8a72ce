import type { SeatCounts } from '@lockstep/contract';
import type { ListOptions } from '../options.ts';
import { formatTable } from '../output/table.ts';
import { say } from '../output/terminal.ts';
import type { Column } from '../output/values.ts';
import type { OrderClient } from './client.ts';
import { formatOf, save } from './export.ts';

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
  if (format) return await save(client.export(format, 'getSeats'));
  const seats = await client.call('getSeats');
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

/** Reads all employees and all assets of the enterprise. */
export async function readEnterprise(client: OrderClient) {
  const employees = await Array.fromAsync(client.list('listEmployees'));
  return { employees, assets: await Array.fromAsync(client.list('listEnterpriseAssets')) };
}

import type { AssetDetail, HistoryEntry, MerchandiseNode, ProductNode } from '@lockstep/contract';
import type { ListOptions } from '../options.ts';
import { printList } from '../output/lists.ts';
import { type Column, formatFields, formatTable, formatTime } from '../output/table.ts';
import { say } from '../output/terminal.ts';
import type { OrderClient } from './client.ts';

/** A product or merchandise on an asset. `depth` counts the merchandise around it. */
interface Item {
  depth: number;
  id: string;
  what: string;
  nodes: number | null;
  begins: number | null;
  ends: number | null;
  licenseOrderId: string;
}

const ITEM_COLUMNS: readonly Column<Item>[] = [
  { head: 'product or merchandise', cell: ({ depth, what }) => `${'  '.repeat(depth)}${what}`, wraps: true },
  { head: 'id', cell: ({ id }) => id, isRight: true },
  { head: 'nodes', cell: ({ nodes }) => nodes, isRight: true },
  { head: 'starts', cell: ({ begins }) => formatTime(begins) },
  { head: 'ends', cell: ({ ends }) => formatTime(ends) },
  { head: 'licenseOrderId', cell: ({ licenseOrderId }) => licenseOrderId, isRight: true },
];
const HISTORY_COLUMNS: readonly Column<HistoryEntry>[] = [
  { head: 'time', cell: ({ time }) => formatTime(time) },
  { head: 'assetId', cell: ({ assetId }) => assetId, isRight: true },
  { head: 'action', cell: ({ action }) => action },
  {
    head: 'product or merchandise',
    cell: ({ productUri, instanceId }) => (instanceId === null ? null : `${productUri ?? ''} ${instanceId}`.trim()),
    wraps: true,
  },
  { head: 'customer', cell: ({ customerId }) => customerId, isRight: true },
  {
    head: 'by',
    cell: ({ licenseOrderId, operatorIdentity }) => operatorIdentity ?? licenseOrderId,
    wraps: true,
  },
  {
    head: 'batch',
    cell: ({ channelCode, channelOrderId }) => channelOrderId && `${channelCode} ${channelOrderId}`,
    wraps: true,
  },
];

export async function show(client: OrderClient, assetNum: string, { json }: { json?: true }): Promise<void> {
  const detail = await client.call('getAsset', { params: { assetNum } });
  say(json ? JSON.stringify(detail) : formatAsset(detail));
}

export async function history(client: OrderClient, assetNum: string, options: ListOptions): Promise<void> {
  await printList(
    async (page) => {
      const { entries, nextCursor } = await client.call('getAssetHistory', { params: { assetNum }, query: page });
      return { items: entries, nextCursor };
    },
    HISTORY_COLUMNS,
    options,
  );
}

function formatAsset(detail: AssetDetail): string {
  const { limitStartDate, limitEndDate, assetExtendList, licenseOrderIds, products, merchandises, ...rest } = detail;
  const fields = formatFields([
    ...Object.entries(rest).map(([name, value]): [string, string | null] => [name, value === null ? null : `${value}`]),
    ['limitStartDate', formatTime(limitStartDate)],
    ['limitEndDate', formatTime(limitEndDate)],
    ...assetExtendList.map(({ extendCode, extendValue }): [string, string] => [`extend ${extendCode}`, extendValue]),
    ['licenseOrderIds', licenseOrderIds.join(' ')],
  ]);
  const items = [
    ...products.map((product) => toItem(product, 0)),
    ...merchandises.flatMap((one) => listMerchandise(one, 0)),
  ];
  return items.length === 0 ? fields : `${fields}\n\n${formatTable(ITEM_COLUMNS, items)}`;
}

/** Lists a merchandise, followed by its contents. */
function listMerchandise(merchandise: MerchandiseNode, depth: number): Item[] {
  const { id, merchandiseNum, licenseOrderId, children, productInstanceList } = merchandise;
  return [
    { depth, id, what: merchandiseNum, nodes: null, begins: null, ends: null, licenseOrderId },
    ...(productInstanceList ?? []).map((product) => toItem(product, depth + 1)),
    ...(children ?? []).flatMap((child) => listMerchandise(child, depth + 1)),
  ];
}

function toItem(product: ProductNode, depth: number): Item {
  const { id, productUri, limitConcurrent, limitStartTime, limitEndTime, licenseOrderId } = product;
  return {
    depth,
    id,
    what: productUri,
    nodes: limitConcurrent,
    begins: limitStartTime,
    ends: limitEndTime,
    licenseOrderId,
  };
}

import type { AssetDetail, HistoryAction, HistoryEntry, MerchandiseNode, ProductNode } from '@lockstep/contract';
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
  { head: 'ID', cell: ({ id }) => id, isRight: true },
  { head: 'nodes', cell: ({ nodes }) => nodes, isRight: true },
  { head: 'starts', cell: ({ begins }) => formatTime(begins) },
  { head: 'ends', cell: ({ ends }) => formatTime(ends) },
  { head: 'licenseOrderId', cell: ({ licenseOrderId }) => licenseOrderId, isRight: true },
];
const ACTION_WORDS: Record<HistoryAction, string> = {
  created: 'asset bought',
  extended: 'products added',
  transferred: 'transferred',
  revoked: 'asset revoked',
  product_bought: 'product bought',
  product_revoked: 'product revoked',
  merchandise_bought: 'merchandise bought',
  merchandise_revoked: 'merchandise revoked',
  locked: 'disabled',
  unlocked: 'enabled',
};
const HISTORY_COLUMNS: readonly Column<HistoryEntry>[] = [
  { head: 'time', cell: ({ time }) => formatTime(time) },
  { head: 'assetId', cell: ({ assetId }) => assetId, isRight: true },
  { head: 'action', cell: ({ action }) => ACTION_WORDS[action] ?? action },
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
  const { assetExtendList, products, merchandises } = detail;
  const fields = formatFields([
    ['asset number', detail.assetNum],
    ['assetId', detail.assetId],
    ['license type', detail.licenseType],
    ['customer', detail.customerId],
    ['enterprise', detail.enterpriseGlobalId],
    ['starts', formatTime(detail.limitStartDate)],
    ['ends', formatTime(detail.limitEndDate)],
    ['disabled', yesOrNo(detail.locked)],
    ['borrowed lock', yesOrNo(detail.borrowedUsbKey)],
    ['assigned', yesOrNo(detail.assigned)],
    ['lent into', detail.lentInto],
    ...assetExtendList.map(({ extendCode, extendValue }): [string, string] => [`attribute ${extendCode}`, extendValue]),
    ['orders with active grants', detail.licenseOrderIds.join(' ')],
  ]);
  const items = [
    ...products.map((product) => toItem(product, 0)),
    ...merchandises.flatMap((one) => listMerchandise(one, 0)),
  ];
  return items.length === 0 ? fields : `${fields}\n\n${formatTable(ITEM_COLUMNS, items)}`;
}

const yesOrNo = (is: boolean) => (is ? 'yes' : 'no');

/** Lists merchandise, followed by its contents. */
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

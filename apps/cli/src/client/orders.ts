import type { ListedOrder, SingleOrderResult } from '@lockstep/contract';
import type { ListOptions } from '../options.ts';
import { printList } from '../output/lists.ts';
import { type Column, formatFields, formatTime } from '../output/table.ts';
import { say } from '../output/terminal.ts';
import type { OrderClient } from './client.ts';

interface OrderListOptions extends ListOptions {
  channel?: string;
  customer?: string;
  asset?: string;
  type?: string;
  state?: string;
  cause?: string;
  acceptedFrom?: string;
  acceptedTo?: string;
}

const ORDER_COLUMNS: readonly Column<ListedOrder>[] = [
  { head: 'accepted', cell: ({ acceptedTime }) => formatTime(acceptedTime) },
  { head: 'licenseOrderId', cell: ({ licenseOrderId }) => licenseOrderId, isRight: true },
  { head: 'batch', cell: ({ channelCode, channelOrderId }) => `${channelCode} ${channelOrderId}`, wraps: true },
  { head: 'customer', cell: ({ customerId }) => customerId, isRight: true },
  { head: 'type', cell: ({ orderType }) => orderType },
  { head: 'outcome', cell: ({ cause, state }) => cause ?? state, wraps: true },
];

export async function list(client: OrderClient, options: OrderListOptions): Promise<void> {
  const { channel, customer, asset, type, state, cause, acceptedFrom, acceptedTo } = options;
  const filters = {
    channelCode: channel,
    customerId: customer,
    assetNum: asset,
    orderType: type,
    state,
    cause,
    acceptedFrom,
    acceptedTo,
  };
  await printList(
    async (page) => {
      const { orders, nextCursor } = await client.call('listOrders', { query: { ...filters, ...page } });
      return { items: orders, nextCursor };
    },
    ORDER_COLUMNS,
    options,
  );
}

export async function show(client: OrderClient, licenseOrderId: string, { json }: { json?: true }): Promise<void> {
  const result = await client.call('getOrderResult', { params: { licenseOrderId } });
  if (json) return say(JSON.stringify(result));
  say(formatOrder(result));
}

function formatOrder(order: SingleOrderResult): string {
  return formatFields([
    ['licenseOrderId', order.licenseOrderId],
    ['channel', order.channelCode],
    ['channelOrderId', order.channelOrderId],
    ['sequence', order.sequence],
    ['customer', order.customerId],
    ['type', order.orderType],
    ['state', order.state],
    ['code', order.code],
    ['cause', order.cause],
    ['message', order.message],
    ['assets', order.assets],
    ['products', order.products],
    ['held since', formatTime(order.heldSince)],
    ['finished', formatTime(order.finishedTime)],
  ]);
}

import { Cause, type ListedOrder, OrderState, OrderType } from '@lockstep/contract';
import { type Command, Option } from 'commander';
import {
  addJsonOption,
  addListOptions,
  addPeriodOptions,
  type ListOptions,
  parseId,
  parseText,
  parseWord,
} from '../commands/options.ts';
import type { ServiceCommands } from '../commands/service.ts';
import { printList } from '../output/lists.ts';
import { type Column, formatFields, formatTime } from '../output/table.ts';
import { say } from '../output/terminal.ts';

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
  { head: 'order', cell: ({ orderType }) => orderType },
  { head: 'outcome', cell: ({ cause, state }) => cause ?? state, wraps: true },
];

/** Adds `order list` and `order show`: the orders of the application, over the API. */
export function addOrderCommands(order: Command, service: ServiceCommands): void {
  addPeriodOptions(addListOptions(service.add(order, 'list', 'orders that the application has sent, newest first')))
    .option('--channel <code>', 'only of this channel', parseText)
    .option('--customer <id>', 'only of this customer', parseId)
    .option('--asset <number>', 'only those that name this asset number', parseText)
    .addOption(new Option('--type <type>', 'only of this type').choices(OrderType.options))
    .addOption(new Option('--state <state>', 'only in this state').choices(OrderState.options))
    .option('--cause <cause>', 'only those that failed for this', parseWord(Cause, 'the causes in docs/api.md'))
    .action(async (options: OrderListOptions, command: Command) => {
      const client = await service.openClient(command);
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
    });

  addJsonOption(service.add(order, 'show', 'what became of one order'))
    .argument('<licenseOrderId>', 'its id, from the answer to its batch', parseId)
    .action(async (licenseOrderId: string, { json }: { json?: true }, command: Command) => {
      const client = await service.openClient(command);
      const result = await client.call('getOrderResult', { params: { licenseOrderId } });
      if (json) return say(JSON.stringify(result));
      const { finishedTime, heldSince, ...rest } = result;
      const times = { finishedTime: formatTime(finishedTime), heldSince: formatTime(heldSince) };
      say(formatFields(Object.entries({ ...rest, ...times })));
    });
}

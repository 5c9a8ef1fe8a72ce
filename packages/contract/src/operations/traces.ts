import { AssetListQuery, AssetPage } from '../assets/lists.ts';
import { AssetDetail, AssetHistory, AssetNumParams } from '../assets/traces.ts';
import { CustomerListQuery, CustomerPage } from '../orders/customers.ts';
import { EventPage, EventsQuery } from '../orders/events.ts';
import { BatchPage, ListBatchesQuery, ListOrdersQuery, ListPageQuery, OrderPage } from '../orders/lists.ts';
import { FailedOrders, FailedOrdersQuery } from '../orders/results.ts';
import { ListRefusalsQuery, RefusalPage } from '../refused-calls.ts';
import { answers, ofModule } from './operation.ts';

/** Operations of the order module that list and trace orders and assets, and the event feed (rules 6.7 and 6.8). */
export const traceOperations = ofModule('order', {
  listBatches: {
    query: ListBatchesQuery,
    answers: answers(BatchPage),
    summary: 'List batches',
    description:
      'Lists the batches of the application, newest first. All filters apply together. While batches are ' +
      'accepted and completed, the pages neither repeat nor omit one.',
  },
  listOrders: {
    query: ListOrdersQuery,
    answers: answers(OrderPage),
    summary: 'List orders',
    description:
      'Lists the orders of the application, newest first. All filters apply together. A failed order can be ' +
      'found by asset number only while its content is stored.',
  },
  getFailedOrders: {
    query: FailedOrdersQuery,
    answers: answers(FailedOrders),
    summary: 'Get the failed orders of a batch',
    description:
      'Returns the failed orders of a batch as they were sent, including passwords. Fix them and send them ' +
      'under a new `channelOrderId`. Only the application that submitted the batch can read them. Their ' +
      'content is stored for 30 days, unless the service is configured otherwise.',
  },
  listAssets: {
    query: AssetListQuery,
    answers: answers(AssetPage),
    summary: 'List assets',
    description:
      'Lists the assets that the application sees. All filters apply together; an unknown one is refused. With ' +
      '`expiresFrom` and `expiresTo` it answers what ends when, with `updatedFrom` what has changed since: then ' +
      'oldest first, so that a reader who continues misses nothing. Changes of the last minute may still be missing. ' +
      'A page has fewer assets than `limit` if few match. With `include` it has at most 100, and fewer if they have many ' +
      'products.',
  },
  listCustomers: {
    query: CustomerListQuery,
    answers: answers(CustomerPage),
    summary: 'List customers',
    description:
      'Lists the customers that the application sees with their enterprises, newest first. All filters apply together; ' +
      'an unknown one is refused. A page has fewer customers than `limit` if few match.',
  },
  getAsset: {
    params: AssetNumParams,
    answers: answers(AssetDetail),
    summary: 'Get an asset',
    description: 'Returns the active asset of a number with its contents.',
  },
  getAssetHistory: {
    params: AssetNumParams,
    query: ListPageQuery,
    answers: answers(AssetHistory),
    summary: 'Get the history of an asset number',
    description: 'Lists the changes of all assets that have or had this number, newest first.',
  },
  getEvents: {
    query: EventsQuery,
    answers: answers(EventPage),
    summary: 'Read the event feed',
    description:
      'Returns the events of the application, oldest first. If you continue from `lastId`, you miss none. ' +
      'To follow the feed, call with `waitSeconds=30`; the call answers as soon as there is an event. ' +
      'Events are kept for 30 days, unless the service is configured otherwise.',
  },
  listRefusals: {
    query: ListRefusalsQuery,
    answers: answers(RefusalPage),
    summary: 'List refused calls',
    description:
      'Lists the calls of the application that were refused, in the member center too, newest first, a few seconds ' +
      'after their answer. All filters apply together; an unknown one is refused. The service keeps the last 10,000 and 7 ' +
      'days of an application, and of many alike in a minute only some, but `counts` has all. It never keeps bodies.',
  },
});

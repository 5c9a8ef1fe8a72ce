import { AssetDetail, AssetHistory, AssetNumParams } from '../assets/traces.ts';
import { FailedOrders, FailedOrdersQuery } from '../orders/corrections.ts';
import { EventPage, EventsQuery } from '../orders/events.ts';
import { BatchPage, ListBatchesQuery, ListOrdersQuery, ListPageQuery, OrderPage } from '../orders/lists.ts';
import { routes } from '../routes.ts';
import { answers, ofModule } from './operation.ts';

/** The operations of the order module that list and trace what was ordered, and its events (rules 6.7 and 6.8). */
export const traceOperations = ofModule('order', {
  listBatches: {
    ...routes.listBatches,
    query: ListBatchesQuery,
    answers: answers(BatchPage),
    summary: 'List batches',
    description:
      'Lists the batches of the application, newest first. Filters add up. Pages stay right while batches are accepted ' +
      'and end: none comes twice, and none that was there is left out.',
  },
  listOrders: {
    ...routes.listOrders,
    query: ListOrdersQuery,
    answers: answers(OrderPage),
    summary: 'List orders',
    description:
      'Lists the orders of the application, newest first. Filters add up. An order that failed is found by its asset ' +
      'numbers as long as what it held is kept.',
  },
  getFailedOrders: {
    ...routes.getFailedOrders,
    query: FailedOrdersQuery,
    answers: answers(FailedOrders),
    summary: 'The failed orders of a batch, as they were sent',
    description:
      'Returns the orders of a batch that have failed, whole, to the application that sent them only: put them right, ' +
      'and send them under a new channelOrderId. Passwords are among them, if they were sent. What they held is kept ' +
      'for a time, 30 days where nothing else is configured.',
  },
  getAsset: {
    ...routes.getAsset,
    params: AssetNumParams,
    answers: answers(AssetDetail),
    summary: 'An asset by its number',
    description: 'Returns the active asset of a number, with what is on it.',
  },
  getAssetHistory: {
    ...routes.getAssetHistory,
    params: AssetNumParams,
    query: ListPageQuery,
    answers: answers(AssetHistory),
    summary: 'The history of an asset number',
    description:
      'Lists what happened to the assets of a number, newest first: the active one, and those that were revoked.',
  },
  getEvents: {
    ...routes.getEvents,
    query: EventsQuery,
    answers: answers(EventPage),
    summary: 'The event feed',
    description:
      'Returns the events of the application, oldest first. Who goes on from lastId misses none. To follow the feed, ask ' +
      'with `waitSeconds=30`; the answer comes as soon as there is an event. Events are kept for a time, 30 days where ' +
      'nothing else is configured.',
  },
});

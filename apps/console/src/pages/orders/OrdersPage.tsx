import { getRouteApi } from '@tanstack/react-router';
import { type CallOf, useOperation } from '../../api/index.ts';
import { Filters, NoRows, optionsOf, Page, Query, useStateWords } from '../../kit/index.ts';
import { useCodeNames } from '../../words/code-names.ts';
import { ORDER_CAUSES } from '../../words/order-causes.ts';
import { useWords } from '../../words/words.ts';
import { SentOrderTable } from './OrderTable.tsx';
import { ordersWords } from './words.ts';

const REFRESH_MS = 5_000;
const STATES = ['pending', 'succeeded', 'failed'] as const;
const TYPES = ['new_buy', 'delete_asset', 'delete_product'] as const;
const route = getRouteApi('/orders');

/** Orders of all batches, with filters. The first page refreshes. */
export default function OrdersPage() {
  const words = useWords(ordersWords);
  const stateWords = useStateWords();
  const codeName = useCodeNames();
  const { cursor, ...filters } = route.useSearch();
  // The service validates the address.
  const query = { ...filters, cursor } as CallOf<'listAllOrders'>['query'];
  const found = useOperation(
    'listAllOrders',
    { query },
    { keepsPrevious: true, refreshMs: cursor === undefined ? REFRESH_MS : false },
  );
  return (
    <Page title={words.orders} lead={words.lead}>
      <Filters
        fields={[
          { name: 'customerId', label: words.customerId, kind: 'text' },
          { name: 'assetNum', label: words.assetNum, kind: 'text' },
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, stateWords) },
          { name: 'cause', label: words.cause, kind: 'select', options: optionsOf(ORDER_CAUSES) },
          { name: 'orderType', label: words.type, kind: 'select', options: optionsOf(TYPES, codeName) },
          { name: 'appKey', label: words.appKey, kind: 'text' },
          { name: 'channelCode', label: words.channel, kind: 'text' },
        ]}
      />
      <Query of={found}>
        {({ orders, nextCursor }) => (
          <SentOrderTable
            label={words.orders}
            rows={orders}
            isStale={found.isPlaceholderData}
            empty={
              <NoRows isMore={nextCursor !== null} title={words.noOrders}>
                {words.noOrdersAdvice}
              </NoRows>
            }
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Page>
  );
}

import type { ConsoleData, ConsoleOrder, HoldPage } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type CallOf, useOperation } from '../../api/index.ts';
import {
  type Column,
  CopyId,
  Count,
  DataTable,
  Empty,
  Filters,
  NoRows,
  optionsOf,
  Page,
  Query,
  StateBadge,
  type TableProps,
  Time,
  useAddress,
  useStateWords,
} from '../../kit/index.ts';
import { useCauseWords } from '../../words/causes.ts';
import { ORDER_CAUSES } from '../../words/codes.ts';
import { useCodeNames, useWords } from '../../words/words.ts';
import { BatchLink, OrderLink } from '../links.tsx';
import { ordersWords } from './words.ts';

const REFRESH_MS = 5_000;
const STATES = ['pending', 'succeeded', 'failed'] as const;
const TYPES = ['new_buy', 'delete_asset', 'delete_product'] as const;
const route = getRouteApi('/orders');

/** Orders of all batches, with filters. The first page refreshes. */
export function OrdersPage() {
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

type Order = ConsoleData<'listBatchOrders'>['orders'][number];

/** A table of the orders of one batch. */
export function OrderTable(props: TableProps<Order>) {
  const columns = useOrderColumns();
  return <DataTable columns={columns} rowKey={({ licenseOrderId }) => licenseOrderId} {...props} />;
}

/** A table of orders of several batches, with their batches. */
function SentOrderTable(props: TableProps<ConsoleOrder>) {
  const words = useWords(ordersWords);
  const columns: Column<ConsoleOrder>[] = [
    ...useOrderColumns().filter(({ header }) => header !== words.sequence),
    { header: words.batch, width: '10rem', cell: (order) => <BatchLink batch={order} /> },
  ];
  return <DataTable columns={columns} rowKey={({ licenseOrderId }) => licenseOrderId} {...props} />;
}

function useOrderColumns(): Column<Order>[] {
  const words = useWords(ordersWords);
  const causeWords = useCauseWords();
  const codeName = useCodeNames();
  return [
    { header: words.orderId, width: '8rem', cell: ({ licenseOrderId }) => <OrderLink orderId={licenseOrderId} /> },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
    { header: words.sequence, align: 'end', isMinor: true, cell: ({ sequence }) => sequence },
    { header: words.type, width: '7rem', cell: ({ orderType }) => codeName(orderType) },
    { header: words.customerId, isMinor: true, width: '8rem', cell: ({ customerId }) => <CopyId id={customerId} /> },
    {
      header: words.why,
      width: '14rem',
      cell: ({ cause, message }) => (cause === null ? '' : causeWords(cause, message)),
    },
    { header: words.finished, isMinor: true, cell: ({ finishedTime }) => <Time timeMs={finishedTime} /> },
  ];
}

const HOLDS_REFRESH_MS = 5_000;

/** The customers with held orders. */
export function HoldsPage() {
  const words = useWords(ordersWords);
  const [{ cursor }] = useAddress();
  const found = useOperation('listHolds', { query: { cursor } }, { keepsPrevious: true, refreshMs: HOLDS_REFRESH_MS });
  const columns: Column<HoldPage['holds'][number]>[] = [
    {
      header: words.customer,
      cell: ({ customerId }) => (
        <CopyId id={customerId}>
          <Link to="/orders" search={{ customerId, state: 'pending' }}>
            {customerId}
          </Link>
        </CopyId>
      ),
    },
    { header: words.order, cell: ({ licenseOrderId }) => <OrderLink orderId={licenseOrderId} /> },
    { header: words.lastError, width: '14rem', cell: ({ lastError }) => lastError },
    { header: words.heldSince, cell: ({ since }) => <Time timeMs={since} isRelative /> },
    { header: words.tries, align: 'end', cell: ({ tries }) => <Count value={tries} /> },
    { header: words.nextTry, isMinor: true, cell: ({ nextTryTime }) => <Time timeMs={nextTryTime} isRelative /> },
    { header: words.waitingOrders, align: 'end', cell: ({ orders }) => <WaitingOrders orders={orders} /> },
  ];
  return (
    <Page title={words.held} lead={words.heldLead} crumbs={[{ text: words.orders, to: '/orders' }]}>
      <Query of={found}>
        {({ holds, nextCursor }) => (
          <DataTable
            label={words.held}
            columns={columns}
            rows={holds}
            rowKey={({ customerId }) => customerId}
            isStale={found.isPlaceholderData}
            empty={<Empty title={words.noHolds}>{words.noHoldsAdvice}</Empty>}
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Page>
  );
}

/** The service counts up to 1,000. */
const WaitingOrders = ({ orders }: { orders: number }) => (
  <>
    <Count value={orders} />
    {orders === 1_000 && '+'}
  </>
);

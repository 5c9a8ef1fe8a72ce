import type { ConsoleData, ConsoleOrder, HoldPage } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { optionsOf } from '../../kit/inputs.tsx';
import { Page } from '../../kit/page.tsx';
import { StateBadge, useStateWords } from '../../kit/signs.tsx';
import { type Column, List, type Table } from '../../kit/table.tsx';
import { CopyId, Count, Time } from '../../kit/values.tsx';
import { useCauseWords } from '../../words/causes.ts';
import { ORDER_CAUSES } from '../../words/codes.ts';
import { useCodeNames, useWords } from '../../words/words.ts';
import { BatchLink, OrderLink, pageOf } from '../links.tsx';
import { ordersWords } from './words.ts';

const REFRESH_MS = 5_000;
const STATES = ['pending', 'succeeded', 'failed'] as const;
const TYPES = ['new_buy', 'delete_asset', 'delete_product'] as const;

/** Orders of all batches, with filters. */
export function OrdersPage() {
  const words = useWords(ordersWords);
  const stateWords = useStateWords();
  const codeName = useCodeNames();
  const { columns, rowKey } = useOrderTable();
  const batch: Column<ConsoleOrder> = {
    header: words.batch,
    width: '10rem',
    cell: (order) => <BatchLink batch={order} />,
  };
  return (
    <Page title={words.orders} lead={words.lead}>
      <List
        label={words.orders}
        operation="listAllOrders"
        rows={({ orders }) => orders}
        refreshMs={REFRESH_MS}
        filters={[
          { name: 'customerId', label: words.customerId, kind: 'text' },
          { name: 'assetNum', label: words.assetNum, kind: 'text' },
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, stateWords) },
          { name: 'cause', label: words.cause, kind: 'select', options: optionsOf(ORDER_CAUSES) },
          { name: 'orderType', label: words.type, kind: 'select', options: optionsOf(TYPES, codeName) },
          { name: 'acceptedFrom', label: words.acceptedFrom, kind: 'time' },
          { name: 'acceptedTo', label: words.acceptedTo, kind: 'until' },
          { name: 'appKey', label: words.appKey, kind: 'text' },
          { name: 'channelCode', label: words.channel, kind: 'text' },
        ]}
        columns={[...columns.filter(({ header }) => header !== words.sequence), batch]}
        rowKey={rowKey}
        none={[words.noOrders, words.noOrdersAdvice]}
      />
    </Page>
  );
}

/** The table of the orders of one batch. */
export function useOrderTable(): Table<ConsoleData<'listBatchOrders'>['orders'][number]> {
  const words = useWords(ordersWords);
  const causeWords = useCauseWords();
  const codeName = useCodeNames();
  return {
    rowKey: ({ licenseOrderId }) => licenseOrderId,
    columns: [
      { header: words.orderId, width: '8rem', cell: ({ licenseOrderId }) => <OrderLink orderId={licenseOrderId} /> },
      { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
      { header: words.sequence, align: 'end', isMinor: true, cell: ({ sequence }) => sequence },
      { header: words.type, width: '7rem', cell: ({ orderType }) => codeName(orderType) },
      { header: words.customerId, isMinor: true, width: '8rem', cell: ({ customerId }) => <CopyId id={customerId} /> },
      {
        header: words.why,
        width: '14rem',
        cell: causeWords,
      },
      { header: words.finished, isMinor: true, cell: ({ finishedTime }) => <Time timeMs={finishedTime} /> },
    ],
  };
}

/** The most waiting orders that the service counts. */
const MAX_WAITING = 1_000;

/** The customers with held orders. */
export function HoldsPage() {
  const words = useWords(ordersWords);
  const columns: Column<HoldPage['holds'][number]>[] = [
    {
      header: words.customer,
      cell: ({ customerId }) => (
        <CopyId id={customerId}>
          <Link {...pageOf.orders({ customerId, state: 'pending' })}>{customerId}</Link>
        </CopyId>
      ),
    },
    { header: words.order, cell: ({ licenseOrderId }) => <OrderLink orderId={licenseOrderId} /> },
    { header: words.lastError, width: '14rem', cell: ({ lastError }) => lastError },
    { header: words.heldSince, cell: ({ since }) => <Time timeMs={since} isRelative /> },
    { header: words.attempts, align: 'end', cell: ({ tries }) => <Count value={tries} /> },
    { header: words.nextTry, isMinor: true, cell: ({ nextTryTime }) => <Time timeMs={nextTryTime} isRelative /> },
    {
      header: words.waitingOrders,
      align: 'end',
      cell: ({ orders }) => (
        <>
          <Count value={orders} />
          {orders === MAX_WAITING && '+'}
        </>
      ),
    },
  ];
  return (
    <Page title={words.heldOrders} lead={words.heldLead} crumbs={[{ text: words.orders, to: '/orders' }]}>
      <List
        label={words.heldOrders}
        operation="listHolds"
        rows={({ holds }) => holds}
        refreshMs={REFRESH_MS}
        columns={columns}
        rowKey={({ customerId }) => customerId}
        none={[words.noHolds, words.noHoldsAdvice]}
      />
    </Page>
  );
}

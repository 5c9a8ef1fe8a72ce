import type { ConsoleOrder, HoldPage, TracedOrder } from '@lockstep/contract/console';
import { ORDER_FAILURES } from '@lockstep/contract/words';
import { Button, Menu, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { REFRESH_MS, useMayCall } from '../../api/operations.ts';
import { ConfirmButton, wordsOf } from '../../kit/dialogs.tsx';
import { ExportButton } from '../../kit/export.tsx';
import { ButtonLink, optionsOf } from '../../kit/inputs.tsx';
import { Page } from '../../kit/page.tsx';
import { StateBadge } from '../../kit/signs.tsx';
import { type Column, List, type Table } from '../../kit/table.tsx';
import { CopyId, Count, Time } from '../../kit/values.tsx';
import { explainCause } from '../../words/causes.ts';
import { stateWords, codeNames as types } from '../../words/codes.ts';
import { codeName } from '../../words/formats.ts';
import { batchesWords as shared } from '../batches/words.ts';
import { AssetLink, BatchLink, CustomerLink, OrderLink, pageOf } from '../links.tsx';
import { ordersWords as words } from './words.ts';

const STATES = ['pending', 'succeeded', 'failed'] as const;
const TYPES = ['new_buy', 'delete_asset', 'delete_product'] as const;

/** Orders of all batches, with filters. */
export function OrdersPage() {
  const { columns, ...table } = orderTable((order: ConsoleOrder) => order);
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
        refreshMs={REFRESH_MS}
        filters={[
          { name: 'customerId', label: words.customerId, kind: 'text' },
          { name: 'assetNum', label: words.assetNum, kind: 'text' },
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, stateWords) },
          { name: 'cause', label: words.cause, kind: 'select', options: optionsOf(ORDER_FAILURES) },
          { name: 'orderType', label: words.type, kind: 'select', options: optionsOf(TYPES, codeName) },
          { name: 'acceptedFrom', until: 'acceptedTo', label: words.acceptedTime, kind: 'past' },
          { name: 'appKey', label: words.appKey, kind: 'text' },
          { name: 'channelCode', label: words.channel, kind: 'text' },
        ]}
        columns={[...columns.filter(({ header }) => header !== words.sequence), batch]}
        {...table}
        none={[words.noOrders, words.noOrdersAdvice]}
      />
    </Page>
  );
}

type Batch = Pick<ConsoleOrder, 'batchId' | 'channelOrderId'>;

/** The table of orders. `batchOf`: the batch of an order. */
export const orderTable = <Row extends TracedOrder>(batchOf: (order: Row) => Batch): Table<Row> => ({
  rowKey: ({ licenseOrderId }) => licenseOrderId,
  actions: (orders) => <ChosenOrders orders={orders.map((order) => ({ ...order, batch: batchOf(order) }))} />,
  columns: [
    { header: words.orderId, width: '8rem', cell: ({ licenseOrderId }) => <OrderLink orderId={licenseOrderId} /> },
    { header: words.state, cell: (order) => <StateBadge state={stateOf(order)} /> },
    { header: words.sequence, align: 'end', isMinor: true, cell: ({ sequence }) => sequence },
    { header: words.type, cell: ({ orderType }) => <span title={orderType}>{types[orderType]}</span> },
    { header: words.customer, width: '10rem', cell: (order) => <CustomerLink owner={order} /> },
    { header: words.failure, width: '14rem', isWide: true, cell: (order) => <Why order={order} /> },
    { header: words.finished, cell: ({ finishedTime }) => <Time timeMs={finishedTime} /> },
  ],
});

/** What can be done with chosen orders: to export them, and to resend those that failed, batch by batch. */
function ChosenOrders({ orders }: { orders: readonly (TracedOrder & { batch: Batch })[] }) {
  const mayCall = useMayCall();
  const listIds = (of: readonly TracedOrder[]) => of.map(({ licenseOrderId }) => licenseOrderId).join();
  const toSend = orders.filter(({ state, resentAs }) => state === 'failed' && resentAs === null);
  const batches = [...Map.groupBy(toSend, ({ batch }) => batch.batchId).values()];
  const pageFor = (ofBatch: typeof toSend) => pageOf.resend(ofBatch[0]!.batch.batchId, { order: listIds(ofBatch) });
  return (
    <>
      <ExportButton
        operation="listAllOrders"
        call={{ query: { licenseOrderIds: listIds(orders) } }}
        label={words.exportThese}
      />
      {mayCall('resendOrders') && batches.length === 1 && (
        <ButtonLink size="compact-sm" to={pageFor(toSend)}>
          {shared.sendThese}
        </ButtonLink>
      )}
      {mayCall('resendOrders') && batches.length > 1 && (
        <Menu>
          <Menu.Target>
            <Button size="compact-sm">{shared.sendThese}</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{words.batchByBatch}</Menu.Label>
            {batches.map((ofBatch) => (
              <Menu.Item
                key={ofBatch[0]!.licenseOrderId}
                renderRoot={(props) => <Link {...pageFor(ofBatch)} {...props} />}
              >
                {`${ofBatch[0]!.batch.channelOrderId}${words.colon}${shared.ordersOf(ofBatch.length)}`}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {mayCall('resendOrders') && toSend.length < orders.length && (
        <span className="small">{words.notSent(orders.length - toSend.length)}</span>
      )}
    </>
  );
}

/** The state of an order as the console shows it: `held` if it is held or waits behind a held order. */
export const stateOf = ({ state, heldSince }: Pick<TracedOrder, 'state' | 'heldSince'>) =>
  heldSince === null ? state : 'held';

/** Why an order failed, and as which one it was resent; or why it is held. */
function Why({ order }: { order: TracedOrder }) {
  const { licenseOrderId, hold, resentAs, assetNums } = order;
  if (hold?.licenseOrderId === licenseOrderId) return hold.lastError;
  if (hold !== null) return <WaitsBehind hold={hold} />;
  return (
    <>
      {resentAs !== null && (
        <>
          {words.resentAs} <OrderLink orderId={resentAs.licenseOrderId} /> <StateBadge state={resentAs.state} />{' '}
        </>
      )}
      {explainCause(order)}{' '}
      {assetNums.map((assetNum) => (
        <AssetLink key={assetNum} assetNum={assetNum} />
      ))}
    </>
  );
}

/** Names the held order that a later order of its customer waits for. */
export function WaitsBehind({ hold }: { hold: NonNullable<TracedOrder['hold']> }) {
  return (
    <>
      {words.waitsBehind} <OrderLink orderId={hold.licenseOrderId} />
    </>
  );
}

/** The most waiting orders that the service counts. */
const MAX_WAITING = 1_000;

/** The customers with held orders. */
export function HoldsPage() {
  const mayCall = useMayCall();
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
    { header: words.lastError, width: '14rem', isWide: true, cell: ({ lastError }) => lastError },
    { header: words.heldSince, cell: ({ since }) => <Time timeMs={since} /> },
    { header: words.attempts, align: 'end', cell: ({ tries }) => <Count value={tries} /> },
    { header: words.nextTry, isMinor: true, cell: ({ nextTryTime }) => <Time timeMs={nextTryTime} /> },
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
    {
      header: words.retryNow,
      head: <VisuallyHidden>{words.retryNow}</VisuallyHidden>,
      isHidden: !mayCall('retryOrder'),
      cell: ({ licenseOrderId }) => <RetryOrder orderId={licenseOrderId} />,
    },
  ];
  return (
    <Page title={words.heldOrders} lead={words.heldLead}>
      <List
        label={words.heldOrders}
        operation="listHolds"
        refreshMs={REFRESH_MS}
        columns={columns}
        rowKey={({ customerId }) => customerId}
        none={[words.noHolds, words.noHoldsAdvice]}
      />
    </Page>
  );
}

/** Retries a held order at once, or one that failed because of a fault. */
export function RetryOrder({ orderId }: { orderId: string }) {
  return (
    <ConfirmButton
      operation="retryOrder"
      call={{ params: { licenseOrderId: orderId } }}
      {...wordsOf(words, 'retryNow', orderId)}
      done={({ isRetried }) => (isRetried ? words.retryNowDone : words.notRetried)}
    >
      <p>{words.retryNowSays}</p>
    </ConfirmButton>
  );
}

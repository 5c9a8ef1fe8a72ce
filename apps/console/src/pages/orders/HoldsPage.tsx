import type { HoldPage } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { type Column, CopyId, Count, DataTable, Empty, Page, Query, Time, useAddress } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { OrderLink } from './OrderLink.tsx';
import { ordersWords } from './words.ts';

const REFRESH_MS = 5_000;

/** The customers with held orders. */
export default function HoldsPage() {
  const words = useWords(ordersWords);
  const [{ cursor }] = useAddress();
  const found = useOperation('listHolds', { query: { cursor } }, { keepsPrevious: true, refreshMs: REFRESH_MS });
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

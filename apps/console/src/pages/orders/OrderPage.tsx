import type { ConsoleData } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { CopyId, Count, type Crumb, Fields, Notice, Page, Query, StateBadge, Time } from '../../kit/index.ts';
import { useCauseWords } from '../../words/causes.ts';
import { useCodeNames } from '../../words/code-names.ts';
import { useWords } from '../../words/words.ts';
import { ApplicationLink } from '../batches/ApplicationLink.tsx';
import { BatchLink } from '../batches/BatchLink.tsx';
import { FailOrder } from './FailOrder.tsx';
import { FixAndResend, ResentBatch } from './FixAndResend.tsx';
import { OrderContent } from './OrderContent.tsx';
import { OrderEffects } from './OrderEffects.tsx';
import { OrderLink } from './OrderLink.tsx';
import { OrderNow } from './OrderNow.tsx';
import { Retries } from './Retries.tsx';
import { ordersWords } from './words.ts';

const REFRESH_MS = 2_000;
const route = getRouteApi('/orders/$orderId');
type Order = ConsoleData<'getOrder'>;

/** One order: outcome, effects or preview, retries, and request. */
export default function OrderPage() {
  const words = useWords(ordersWords);
  const { orderId } = route.useParams();
  const order = useOperation(
    'getOrder',
    { params: { licenseOrderId: orderId } },
    { refreshMs: (data) => (data === undefined || data.state === 'pending' ? REFRESH_MS : false) },
  );
  return (
    <Page
      title={`${words.order} ${orderId}`}
      beside={order.data && <StateBadge state={order.data.state} />}
      crumbs={[{ text: words.orders, to: '/orders' }, ...(order.data === undefined ? [] : [crumbOf(order.data)])]}
      actions={
        <>
          {order.data?.state === 'failed' && <FixAndResend order={order.data} />}
          {order.data?.state === 'pending' && <FailOrder orderId={orderId} />}
        </>
      }
    >
      <Query of={order}>
        {(read) => (
          <>
            {read.cause !== null && <Why order={read} />}
            {read.state === 'failed' && <ResentBatch order={read} />}
            <OrderFields order={read} />
            {/* The state is part of the key, so that these sections refetch when the order gets its outcome. */}
            {read.state === 'succeeded' && <OrderEffects key="effects" orderId={orderId} />}
            {read.state !== 'succeeded' && <OrderNow key={read.state} orderId={orderId} state={read.state} />}
            <Retries retries={read.retries} />
            <OrderContent key={`content-${read.state}`} orderId={orderId} />
          </>
        )}
      </Query>
    </Page>
  );
}

function crumbOf({ channelOrderId, batchId }: Order): Crumb {
  return { text: channelOrderId, to: '/batches/$batchId', params: { batchId } };
}

/** The cause of a failure, linked to the guide that explains causes. */
function Why({ order: { cause, message } }: { order: Order }) {
  const words = useWords(ordersWords);
  const causeWords = useCauseWords();
  return (
    <Notice tone="bad" title={causeWords(cause, message)}>
      {words.cause}
      {words.colon}
      <code>{cause}</code> · <a href={new URL('../guides/api#causes', document.baseURI).href}>{words.causeMeaning}</a>
    </Notice>
  );
}

function OrderFields({ order }: { order: Order }) {
  const codeName = useCodeNames();
  const words = useWords(ordersWords);
  const { licenseOrderId, sequence, orderType, owner, customerId, channelCode, acceptedTime, finishedTime } = order;
  const { state, assets, products, requestId, srcLicenseOrderId } = order;
  const isDone = state === 'succeeded';
  return (
    <Fields
      fields={[
        { label: words.orderId, value: <CopyId id={licenseOrderId} what={words.orderId} /> },
        { label: words.type, value: codeName(orderType) },
        { label: words.sequence, value: sequence },
        { label: words.batch, value: <BatchLink batch={order} /> },
        { label: words.channel, value: channelCode },
        { label: words.application, value: <ApplicationLink of={order} /> },
        { label: words.customer, value: owner === null ? words.noSuchCustomer : owner.customerName },
        {
          label: words.customerId,
          value: (
            <CopyId id={customerId} what={words.customerId}>
              <Link to="/orders" search={{ customerId }}>
                {customerId}
              </Link>
            </CopyId>
          ),
        },
        { label: words.enterprise, value: owner === null ? undefined : <EnterpriseOf owner={owner} /> },
        { label: words.assets, value: isDone ? <Count value={assets} /> : undefined },
        { label: words.products, value: isDone ? <Count value={products} /> : undefined },
        {
          label: words.source,
          value: srcLicenseOrderId === null ? undefined : <OrderLink orderId={srcLicenseOrderId} />,
        },
        { label: words.accepted, value: <Time timeMs={acceptedTime} isRelative withUtc /> },
        {
          label: words.heldSince,
          value: order.heldSince === null ? undefined : <Time timeMs={order.heldSince} isRelative withUtc />,
        },
        { label: words.finished, value: finishedTime === null ? null : <Time timeMs={finishedTime} withUtc /> },
        { label: words.requestId, value: <CopyId id={requestId} what={words.requestId} /> },
      ]}
    />
  );
}

function EnterpriseOf({ owner }: { owner: NonNullable<Order['owner']> }) {
  const { enterpriseGlobalId, enterpriseName } = owner;
  return (
    <Link to="/enterprises/$enterpriseGlobalId" params={{ enterpriseGlobalId }}>
      {enterpriseName}
    </Link>
  );
}

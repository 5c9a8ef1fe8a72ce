import type { AssetEffect, ConsoleData, ConsoleOrder, ItemEffect } from '@lockstep/contract/console';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayCall, useOperation } from '../../api/operations.ts';
import { ConfirmButton } from '../../kit/dialogs.tsx';
import { ButtonLink, Choice, TextField } from '../../kit/inputs.tsx';
import { type Crumb, Page, Query, Section } from '../../kit/page.tsx';
import { Empty, Notice, StateBadge } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { CopyId, Count, Fields, JsonView, Labeled, Time, TimeLine } from '../../kit/values.tsx';
import { explainCause } from '../../words/causes.ts';
import { codeName } from '../../words/formats.ts';
import { PauseNotice } from '../channels/Channels.tsx';
import { ApplicationLink, AssetLink, BatchLink, CustomerLink, EnterpriseLink, OrderLink, pageOf } from '../links.tsx';
import { RetryOrder, stateOf, WaitsBehind } from './Orders.tsx';
import { PreviewOutcome } from './PreviewOutcome.tsx';
import { ordersWords as words } from './words.ts';

const REFRESH_MS = 2_000;
type Order = ConsoleData<'getOrder'>;

/** One order: outcome, effects or preview, retries, and request. */
export function OrderPage() {
  const { orderId } = useParams({ from: '/orders/$orderId' });
  const order = useOperation(
    'getOrder',
    { params: { licenseOrderId: orderId } },
    { refreshMs: (data) => (data === undefined || data.state === 'pending' ? REFRESH_MS : false) },
  );
  const batchCrumbs: Crumb[] = order.data
    ? [{ text: order.data.channelOrderId, ...pageOf.batch(order.data.batchId) }]
    : [];
  return (
    <Page
      title={`${words.order} ${orderId}`}
      beside={order.data && <StateBadge state={stateOf(order.data)} />}
      crumbs={[{ text: words.orders, to: '/orders' }, ...batchCrumbs]}
      actions={
        <>
          {order.data && (order.data.hold !== null || order.data.cause === 'internal_error') && (
            <RetryOrder orderId={orderId} />
          )}
          {order.data?.state === 'failed' && order.data.resentAs === null && <FixAndResend order={order.data} />}
          {order.data?.state === 'pending' && <FailOrder orderId={orderId} />}
        </>
      }
      of={order}
    >
      {(read) => (
        <>
          {read.cause !== null && (
            <Notice tone="bad" title={explainCause(read)}>
              <Labeled label={words.cause} value={<code>{read.cause}</code>} /> ·{' '}
              <a href={new URL('../docs', document.baseURI).href}>{words.causeMeaning}</a>
            </Notice>
          )}
          {read.resentAs !== null && (
            <Notice tone="neutral" title={words.wasResent}>
              {words.resentAs} <OrderLink orderId={read.resentAs.licenseOrderId} />{' '}
              <StateBadge state={read.resentAs.state} />
            </Notice>
          )}
          {read.pause !== null && <PauseNotice pause={read.pause} />}
          {read.hold !== null && <Hold order={read} hold={read.hold} />}
          <OrderFields order={read} />
          {/* The state is part of the key, so that these sections refetch when the order gets its outcome. */}
          {read.state === 'succeeded' && <OrderEffects key="effects" orderId={orderId} />}
          {read.state !== 'succeeded' && read.hold === null && (
            <OrderNow key={read.state} orderId={orderId} state={read.state} />
          )}
          <Retries retries={read.retries} />
          <OrderContent key={`content-${read.state}`} orderId={orderId} />
        </>
      )}
    </Page>
  );
}

function OrderFields({ order }: { order: Order }) {
  const { licenseOrderId, sequence, orderType, owner, customerId, channelCode, acceptedTime, finishedTime } = order;
  const { state, assets, products, requestId, heldSince, srcLicenseOrderId: sourceId, assetNums, places } = order;
  const isDone = state === 'succeeded';
  return (
    <Fields
      fields={{
        [words.orderId]: <CopyId id={licenseOrderId} what={words.orderId} />,
        [words.type]: codeName(orderType),
        [words.sequence]: sequence,
        [words.batch]: <BatchLink batch={order} />,
        [words.channel]: channelCode,
        [words.application]: <ApplicationLink of={order} />,
        [words.customer]: owner ? <CustomerLink owner={owner} /> : words.noSuchCustomer,
        [words.enterprise]: owner ? <EnterpriseLink owner={owner} /> : undefined,
        [words.customerId]: (
          <CopyId id={customerId} what={words.customerId}>
            <Link {...pageOf.orders({ customerId })}>{customerId}</Link>
          </CopyId>
        ),
        [words.assetNum]: assetNums[0] && <AssetLink assetNum={assetNums[0]} />,
        [words.place]: places[0] && <code>{places[0]}</code>,
        [words.assets]: isDone ? <Count value={assets} /> : undefined,
        [words.products]: isDone ? <Count value={products} /> : undefined,
        [words.source]: sourceId ? <OrderLink orderId={sourceId} /> : undefined,
        [words.acceptedTime]: <Time timeMs={acceptedTime} isExact />,
        [words.heldSince]: heldSince ? <Time timeMs={heldSince} isExact /> : undefined,
        [words.finished]: finishedTime && <Time timeMs={finishedTime} isExact />,
        [words.requestId]: <CopyId id={requestId} what={words.requestId} />,
      }}
    />
  );
}

/** Links to the page that fixes and resends a failed order. Hidden if the role may not; a note while the batch runs. */
function FixAndResend({ order: { batchId, licenseOrderId } }: { order: Order }) {
  const mayCall = useMayCall();
  const { data } = useOperation(
    'getBatch',
    { params: { batchId } },
    { refreshMs: (read) => (read?.state === 'completed' ? false : REFRESH_MS) },
  );
  if (!mayCall('resendOrders') || data === undefined) return null;
  if (data.state !== 'completed') return words.batchRuns;
  return <ButtonLink to={pageOf.resend(batchId, { order: licenseOrderId })}>{words.fixAndResend}</ButtonLink>;
}

/** Why a held order waits, and when it is tried again. */
function Hold({ order, hold }: { order: Order; hold: NonNullable<Order['hold']> }) {
  const isItself = hold.licenseOrderId === order.licenseOrderId;
  return (
    <Notice tone="warn" title={isItself ? words.heldItself : words.heldBehind}>
      {!isItself && (
        <p>
          <WaitsBehind hold={hold} />
        </p>
      )}
      <Fields
        fields={{
          [words.lastError]: hold.lastError,
          [words.attempts]: <Count value={hold.tries} />,
          [words.nextTry]: <Time timeMs={hold.nextTryTime} isExact />,
        }}
      />
    </Notice>
  );
}

/** A preview of a pending or failed order. */
function OrderNow({ orderId, state }: { orderId: string; state: ConsoleOrder['state'] }) {
  const preview = useOperation('previewOrder', { params: { licenseOrderId: orderId } });
  const succeeds = { tone: 'good', title: words.nowSucceeds } as const;
  const fails = { tone: 'warn', title: words.nowFails } as const;
  return (
    <Section title={words.now}>
      {state === 'pending' && <p>{words.nowPending}</p>}
      <Query of={preview}>
        {(read) =>
          read === null ? (
            <p>{words.nowUnknown}</p>
          ) : (
            <Notice {...(read.state === 'succeeded' ? succeeds : fails)}>
              <PreviewOutcome preview={read} />
            </Notice>
          )
        }
      </Query>
    </Section>
  );
}

/** The failures before an order's retries, newest first. Renders nothing if there are none. */
function Retries({ retries }: { retries: ConsoleData<'getOrder'>['retries'] }) {
  if (retries.length === 0) return null;
  return (
    <Section title={words.retries}>
      <TimeLine
        label={words.retries}
        entries={retries.map(({ finishedTime, retriedTime, ...failure }) => ({
          key: String(retriedTime),
          timeMs: finishedTime,
          tone: 'bad',
          title: explainCause(failure),
          detail: <Labeled label={words.retried} value={<Time timeMs={retriedTime} />} />,
        }))}
      />
    </Section>
  );
}

/** The request of an order, or why it is no longer stored. */
function OrderContent({ orderId }: { orderId: string }) {
  const content = useOperation('getOrderContent', { params: { licenseOrderId: orderId } });
  const missing = {
    too_large: [words.tooLarge, words.tooLargeAdvice],
    expired: [words.gone, words.expiredAdvice],
    gone: [words.gone, words.goneAdvice],
  } as const;
  return (
    <Section title={words.content} of={content}>
      {(read) => {
        if (read.kind !== 'kept') return <Empty title={missing[read.kind][0]}>{missing[read.kind][1]}</Empty>;
        return (
          <>
            <NamedAssets order={read.order} />
            <p>{words.contentHidden}</p>
            <JsonView value={read.order} label={words.contentJson} />
          </>
        );
      }}
    </Section>
  );
}

const MAX_SHOWN = 20;

/** The assets named in an order's request, linked to their pages. */
function NamedAssets({ order }: { order: unknown }) {
  const { assets = [] } = (order ?? {}) as { assets?: readonly { assetNos: readonly string[] }[] };
  const assetNums = [...new Set(assets.flatMap(({ assetNos }) => assetNos))];
  if (assetNums.length === 0) return null;
  return (
    <p>
      {words.namedAssets}
      {words.gap}
      {assetNums.slice(0, MAX_SHOWN).map((assetNum) => (
        <span key={assetNum}>
          <AssetLink assetNum={assetNum} />{' '}
        </span>
      ))}
      {assetNums.length > MAX_SHOWN && words.more(assetNums.length - MAX_SHOWN)}
    </p>
  );
}

/** The effects of an order: on assets, products and merchandise. */
function OrderEffects({ orderId }: { orderId: string }) {
  const effects = useOperation('getOrderEffects', { params: { licenseOrderId: orderId } });
  return (
    <Section title={words.effects} of={effects}>
      {({ assets, items, isCut }) => (
        <>
          <DataTable label={words.assets} columns={ASSET_COLUMNS} rows={assets} rowKey={({ assetId }) => assetId} />
          <DataTable label={words.item} columns={itemColumns(items)} rows={items} rowKey={({ id }) => id} />
          {isCut && <p>{words.effectsCut}</p>}
        </>
      )}
    </Section>
  );
}

const ASSET_COLUMNS: Column<AssetEffect>[] = [
  { header: words.asset, cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
  {
    header: words.action,
    cell: ({ action, fromCustomerId: customerId }) => (
      <>
        {words[action]}
        {customerId !== null && (
          <>
            {' '}
            · {words.fromCustomer} <Link {...pageOf.orders({ customerId })}>{customerId}</Link>
          </>
        )}
      </>
    ),
  },
  { header: words.currentState, cell: ({ isActive }) => <StateBadge state={isActive ? 'active' : 'revoked'} /> },
];

const itemColumns = (items: readonly ItemEffect[]): Column<ItemEffect>[] => [
  {
    header: words.item,
    width: '14rem',
    cell: ({ kind, code, name }) => (
      <>
        {name} · {code}
        {kind === 'merchandise' && `${words.gap}${words.aside(words.merchandise)}`}
      </>
    ),
  },
  { header: words.asset, width: '11rem', cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
  { header: words.action, cell: ({ action }) => words[action] },
  { header: words.currentState, cell: ({ isActive }) => <StateBadge state={isActive ? 'active' : 'revoked'} /> },
  { header: words.nodes, align: 'end', isMinor: true, cell: ({ limitConcurrent }) => limitConcurrent ?? '–' },
  { header: words.begins, isMinor: true, cell: ({ limitStartDate }) => <Time timeMs={limitStartDate} /> },
  { header: words.ends, isMinor: true, cell: ({ limitEndDate }) => <Time timeMs={limitEndDate} /> },
  {
    header: items.some(({ action }) => action === 'bought') ? words.revokedBy : words.boughtBy,
    isMinor: true,
    cell: ({ action, boughtByOrderId, revokedByOrderId }) => {
      const orderId = action === 'bought' ? revokedByOrderId : boughtByOrderId;
      return orderId === null ? '–' : <OrderLink orderId={orderId} />;
    },
  },
];

const MAX_NAMED = 10;

/** Marks a pending order as failed. If its customer has later pending orders, asks what to do with them. */
function FailOrder({ orderId }: { orderId: string }) {
  const [reason, setReason] = useState('');
  const [waiting, setWaiting] = useState<ConsoleData<'failOrder'>>();
  const [later, setLater] = useState<'keep' | 'fail' | null>(null);
  return (
    <ConfirmButton
      operation="failOrder"
      call={{ params: { licenseOrderId: orderId }, body: { reason: reason.trim(), later } }}
      label={words.failOrder}
      title={words.failTitle}
      isDangerous
      canConfirm={reason.trim() !== '' && (waiting === undefined || later !== null)}
      done={({ outcome, orders }) => (outcome === 'failed' ? words.failedNow(orders) : words.notPending)}
      onDone={(answer) => {
        if (answer.outcome !== 'later_pending') return true;
        setWaiting(answer);
        return false;
      }}
    >
      <p>{words.failText}</p>
      <TextField label={words.reason} description={words.reasonHint} value={reason} onChange={setReason} required />
      {waiting !== undefined && (
        <>
          <div role="alert">
            {words.laterPending(waiting.orders)}
            {waiting.licenseOrderIds.slice(0, MAX_NAMED).map((id) => (
              <div key={id}>
                <OrderLink orderId={id} />
              </div>
            ))}
            {waiting.orders > MAX_NAMED && words.more(waiting.orders - MAX_NAMED)}
          </div>
          <Choice
            label={words.laterOrders}
            value={later ?? ''}
            options={{ '': words.laterChoose, keep: words.laterKeep, fail: words.laterFail }}
            onChange={(chosen) => setLater(chosen === '' ? null : chosen)}
            required
          />
        </>
      )}
    </ConfirmButton>
  );
}

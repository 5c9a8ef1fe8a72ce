import type { ComparedPreview, ConsoleBatchDetail, OrdersToResend, TracedBatch } from '@lockstep/contract/console';
import { findJsonFault } from '@lockstep/contract/json-fault';
import { Button, Textarea, TextInput } from '@mantine/core';
import { getRouteApi, Link, useBlocker, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type CallOf, useChange, useOperation } from '../../api/index.ts';
import {
  type Column,
  ConfirmButton,
  DataTable,
  Dialog,
  Failure,
  Notice,
  Page,
  Query,
  Section,
  StateBadge,
} from '../../kit/index.ts';
import { useFaultWords } from '../../words/causes.ts';
import { jsonFaultsInChinese } from '../../words/causes-zh.ts';
import { useCodeNames, useNumberFormat, useWords } from '../../words/words.ts';
import { PreviewOutcome } from '../orders/PreviewOutcome.tsx';
import { Resends } from './Batches.tsx';
import resendFormStyles from './ResendForm.module.css';
import { batchesWords, resendWords } from './words.ts';

const route = getRouteApi('/batches/$batchId/resend');

/** Fixes and resends the failed orders of a batch. */
export function ResendPage() {
  const words = useWords(resendWords);
  const shared = useWords(batchesWords);
  const { batchId } = route.useParams();
  const batch = useOperation('getBatch', { params: { batchId } });
  return (
    <Page
      title={shared.resend}
      lead={words.lead}
      crumbs={[
        { text: shared.batches, to: '/batches' },
        { text: batch.data?.channelOrderId ?? shared.batch, to: '/batches/$batchId', params: { batchId } },
      ]}
    >
      <Query of={batch}>{(read) => <FailedOrders batch={read} />}</Query>
    </Page>
  );
}

/** The editor keeps the orders that were loaded first; reloads don't replace them. */
function FailedOrders({ batch }: { batch: TracedBatch }) {
  const { batchId } = batch;
  const words = useWords(resendWords);
  const { order } = route.useSearch();
  const query = { licenseOrderId: order } as CallOf<'getOrdersToResend'>['query'];
  const failed = useOperation('getOrdersToResend', { params: { batchId }, query });
  return (
    <>
      <Resends resends={batch.resends} />
      {order !== undefined && (
        <p>
          {words.oneOrder}
          {words.gap}
          <Link to="/batches/$batchId/resend" params={{ batchId }}>
            {words.allOrders}
          </Link>
        </p>
      )}
      <Query of={failed}>{(orders) => <ResendForm key={`${batchId} ${order}`} batch={batch} failed={orders} />}</Query>
    </>
  );
}

interface Draft {
  channelOrderId: string;
  text: string;
}

/** The editor of failed orders. It requires a check before sending, and asks before unsaved changes are lost. */
function ResendForm({ batch, failed }: { batch: ConsoleBatchDetail; failed: OrdersToResend }) {
  const words = useWords(resendWords);
  const write = useNumberFormat();
  const navigate = useNavigate();
  const [first] = useState<Draft>(() => ({
    channelOrderId: failed.channelOrderId,
    text: JSON.stringify(failed.orderList, null, 2),
  }));
  const [draft, setDraft] = useState(first);
  const [checked, setChecked] = useState<{ draft: Draft; orders: ComparedPreview[] }>();
  const isSent = useRef(false);
  const check = useChange('checkResend');

  const faultWords = useFaultWords(jsonFaultsInChinese);
  const { orders, fault } = readOrders(draft.text, words, faultWords);
  const isNumbered = draft.channelOrderId.trim() !== '';
  const params = { batchId: batch.batchId };
  const body = { channelOrderId: draft.channelOrderId, orderList: orders ?? [] };
  const isCurrent = checked?.draft === draft;
  const failing = checked?.orders.filter(({ state }) => state === 'failed').length ?? 0;

  const runCheck = () =>
    check.mutate({ params, body }, { onSuccess: (data) => setChecked({ draft, orders: data.orders }) });
  return (
    <>
      <LeaveGuard isAsking={() => draft !== first && !isSent.current} />
      {failed.hiddenPasswords > 0 && (
        <Notice tone="neutral" title={words.hidden(write(failed.hiddenPasswords))}>
          {words.hiddenAdvice}
        </Notice>
      )}
      <TextInput
        className={resendFormStyles.number ?? ''}
        label={words.newNumber}
        description={words.numberHint}
        error={isNumbered ? undefined : words.numberMissing}
        value={draft.channelOrderId}
        maxLength={255}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setDraft({ ...draft, channelOrderId: event.currentTarget.value })}
      />
      <Textarea
        classNames={{ input: resendFormStyles.editor ?? '' }}
        label={words.orders}
        description={words.ordersHint}
        error={fault ?? undefined}
        value={draft.text}
        rows={24}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
      />
      <div className={resendFormStyles.actions}>
        <Button
          variant="default"
          loading={check.isPending}
          disabled={orders === null || orders.length === 0 || !isNumbered}
          onClick={runCheck}
        >
          {words.check}
        </Button>
        <ConfirmButton
          operation="resendOrders"
          call={{ params, body }}
          label={words.send}
          title={words.sendTitle(write(orders?.length ?? 0))}
          isDisabled={!isCurrent}
          done={(sent) => words.sent(write(sent.orders))}
          onDone={(sent) => {
            isSent.current = true;
            return navigate({ to: '/batches/$batchId', params: { batchId: sent.batchId } });
          }}
        >
          <p>{words.sendText(batch.applicationName)}</p>
          {failing > 0 && <p>{words.sendFailing(write(failing))}</p>}
        </ConfirmButton>
        <span>{checked === undefined ? words.checkFirst : isCurrent ? '' : words.changedSince}</span>
      </div>
      {check.error !== null && <Failure failure={check.error} />}
      {checked !== undefined && (
        <Section title={words.outcome}>
          <output>
            {words.wouldSucceed(write(checked.orders.length - failing), write(checked.orders.length))}
            {words.gap}
            {failing > 0 ? words.wouldFail(write(failing)) : words.allGood}
          </output>
          <CheckedOrders orders={checked.orders} isStale={!isCurrent} />
        </Section>
      )}
    </>
  );
}

/** A table of what each order would do. */
function CheckedOrders({ orders, isStale }: { orders: readonly ComparedPreview[]; isStale: boolean }) {
  const words = useWords(resendWords);
  const codeName = useCodeNames();
  const columns: Column<ComparedPreview>[] = [
    { header: words.sequence, align: 'end', cell: ({ sequence }) => sequence },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
    { header: words.type, isMinor: true, cell: ({ orderType }) => codeName(orderType) },
    { header: words.customer, isMinor: true, cell: ({ customerId }) => customerId },
    { header: words.effect, width: '20rem', cell: (order) => <PreviewOutcome preview={order} /> },
  ];
  return (
    <DataTable
      label={words.outcome}
      columns={columns}
      rows={orders}
      rowKey={({ sequence }) => String(sequence)}
      isStale={isStale}
    />
  );
}

/** Asks before the operator leaves a page with unsaved changes. On closing the tab, the browser asks. */
function LeaveGuard({ isAsking }: { isAsking: () => boolean }) {
  const words = useWords(resendWords);
  const blocker = useBlocker({ shouldBlockFn: isAsking, enableBeforeUnload: isAsking, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog
      title={words.leaveTitle}
      onClose={blocker.reset}
      actions={
        <>
          <Button variant="default" onClick={blocker.reset}>
            {words.stay}
          </Button>
          <Button color="red" onClick={blocker.proceed}>
            {words.leave}
          </Button>
        </>
      }
    >
      <p>{words.leaveText}</p>
    </Dialog>
  );
}

/** The orders in a text, not validated, or what is wrong with the text. */
type ReadOrders = { orders: unknown[]; fault: null } | { orders: null; fault: string };

/** Parses the editor's text into orders, or returns a fault from `words`. A repeated key is one (rules 4). */
function readOrders(
  text: string,
  words: { notJson: string; notList: string; colon: string },
  faultWords: (fault: string) => string,
): ReadOrders {
  const fault = findJsonFault(text);
  if (fault !== undefined) return { orders: null, fault: `${words.notJson}${words.colon}${faultWords(fault)}` };
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) return { orders: null, fault: words.notList };
  return { orders: value, fault: null };
}

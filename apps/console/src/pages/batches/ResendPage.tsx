import type { ComparedPreview, ConsoleBatchDetail, OrdersToResend, TracedBatch } from '@lockstep/contract/console';
import { findJsonFault } from '@lockstep/contract/json-fault';
import { english, fillIn } from '@lockstep/contract/templates';
import { Button, Checkbox, Group, Textarea } from '@mantine/core';
import { Link, useBlocker, useNavigate, useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { CallFailure, CallOf } from '../../api/calls.ts';
import { useChange, useOperation } from '../../api/operations.ts';
import { ConfirmButton, Dialog } from '../../kit/dialogs.tsx';
import { TextField, useAddress } from '../../kit/inputs.tsx';
import { Answer, Failure, Page, Query, Section } from '../../kit/page.tsx';
import { Empty, Notice, StateBadge } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { wordsInChinese } from '../../words/causes-zh.ts';
import { codeName } from '../../words/formats.ts';
import { language } from '../../words/language.ts';
import { pageOf } from '../links.tsx';
import { PreviewOutcome } from '../orders/PreviewOutcome.tsx';
import { Resends } from './Batches.tsx';
import { FixForm } from './FixForm.tsx';
import { batchesWords as shared, resendWords as words } from './words.ts';

/** Fixes and resends the failed orders of a batch. */
export function ResendPage() {
  const { batchId } = useParams({ from: '/batches/$batchId/resend' });
  const batch = useOperation('getBatch', { params: { batchId } });
  return (
    <Page
      title={shared.resend}
      lead={words.lead}
      crumbs={[
        { text: shared.batches, to: '/batches' },
        { text: batch.data?.channelOrderId ?? shared.batch, ...pageOf.batch(batchId) },
      ]}
      of={batch}
    >
      {(read) => <FailedOrders batch={read} />}
    </Page>
  );
}

/** The editor keeps the orders that were loaded first; reloads don't replace them. */
function FailedOrders({ batch }: { batch: TracedBatch }) {
  const { batchId } = batch;
  const [{ order, cause }] = useAddress();
  const query = { licenseOrderIds: order, cause } as CallOf<'getOrdersToResend'>['query'];
  const failed = useOperation('getOrdersToResend', { params: { batchId }, query });
  return (
    <>
      <Resends batch={batch} />
      {(order ?? cause) !== undefined && (
        <p>
          {order !== undefined ? words.chosen : words.oneCause(cause ?? '')}
          {words.gap}
          <Link {...pageOf.resend(batchId)}>{words.allOrders}</Link>
        </p>
      )}
      <Query of={failed}>
        {(orders) =>
          orders.orderList.length === 0 ? (
            <Empty title={words.nothingLeft} />
          ) : (
            <ResendForm key={`${batchId} ${order} ${cause}`} batch={batch} failed={orders} />
          )
        }
      </Query>
    </>
  );
}

interface Draft {
  channelOrderId: string;
  orders: readonly unknown[];
  /** The orders as JSON while they are edited as such. */
  text: string | null;
}

/** The editor of failed orders. It requires a check before sending, and asks before unsaved changes are lost. */
function ResendForm({ batch, failed }: { batch: ConsoleBatchDetail; failed: OrdersToResend }) {
  const navigate = useNavigate();
  const [first] = useState<Draft>(() => ({
    channelOrderId: failed.channelOrderId,
    orders: failed.orderList,
    text: null,
  }));
  const [draft, setDraft] = useState(first);
  const [checked, setChecked] = useState<{ draft: Draft; times: number; orders: ComparedPreview[] }>();
  const isSent = useRef(false);
  const check = useChange('checkResend');

  const parsed = parseOrders(draft.text);
  const { orders, fault } = parsed ?? { orders: draft.orders };
  const isNumbered = draft.channelOrderId.trim() !== '';
  const params = { batchId: batch.batchId };
  const body = { channelOrderId: draft.channelOrderId, orderList: [...(orders ?? [])] };
  const isCurrent = checked?.draft === draft;
  const failing = checked?.orders.filter(({ state }) => state === 'failed').length ?? 0;

  const columns: Column<ComparedPreview>[] = [
    { header: words.sequence, align: 'end', cell: ({ sequence }) => sequence },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
    { header: words.type, isMinor: true, cell: ({ orderType }) => codeName(orderType) },
    { header: words.customer, isMinor: true, cell: ({ customerId }) => customerId },
    { header: words.effect, width: '20rem', cell: (order) => <PreviewOutcome preview={order} /> },
  ];
  /** A button that leaves the orders out that `keyOf` finds among `keys`. */
  const leaveOut = (keys: ReadonlySet<unknown>, keyOf: (order: unknown, place: number) => unknown) => {
    const kept = (orders ?? []).filter((order, place) => !keys.has(keyOf(order, place)));
    const count = (orders?.length ?? 0) - kept.length;
    if (count === 0 || kept.length === 0) return null;
    return (
      <Group>
        <Button variant="default" onClick={() => setDraft({ ...draft, orders: kept, text: null })}>
          {words.leaveThese(count)}
        </Button>
      </Group>
    );
  };
  const failedSequences = new Set(
    checked?.orders.filter(({ state }) => state === 'failed').map(({ sequence }) => sequence),
  );
  const runCheck = () =>
    check.mutate(
      { params, body },
      { onSuccess: (data) => setChecked({ draft, times: (checked?.times ?? 0) + 1, orders: data.orders }) },
    );
  return (
    <>
      <LeaveGuard isAsking={() => draft !== first && !isSent.current} />
      {failed.hiddenPasswords > 0 && (
        <Notice tone="neutral" title={words.hidden(failed.hiddenPasswords)}>
          {words.hiddenAdvice}
        </Notice>
      )}
      <TextField
        maw="32rem"
        label={words.newNumber}
        description={words.numberHint}
        error={isNumbered ? undefined : words.numberMissing}
        value={draft.channelOrderId}
        spellCheck={false}
        onChange={(channelOrderId) => setDraft({ ...draft, channelOrderId })}
      />
      <Checkbox
        label={words.asJson}
        checked={draft.text !== null}
        disabled={orders === null}
        onChange={() => {
          const text = draft.text === null ? JSON.stringify(draft.orders, null, 2) : null;
          setDraft({ ...draft, orders: orders ?? [], text });
        }}
      />
      {draft.text === null && (
        <FixForm
          orders={draft.orders}
          failures={failed.failures}
          onChange={(changed) => setDraft({ ...draft, orders: changed })}
        />
      )}
      {draft.text !== null && (
        <Textarea
          classNames={{ input: 'mono' }}
          wrap="off"
          resize="vertical"
          label={words.orders}
          description={words.ordersHint}
          error={fault}
          value={draft.text}
          rows={24}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
        />
      )}
      <Group gap="0.75rem">
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
          title={words.sendTitle(orders?.length ?? 0)}
          isDisabled={!isCurrent}
          done={(sent) => words.sent(sent.orders)}
          onDone={(sent) => {
            isSent.current = true;
            return navigate(pageOf.batch(sent.batchId));
          }}
        >
          <p>{words.sendText(batch.applicationName)}</p>
          {failing > 0 && <p>{words.sendFailing(failing)}</p>}
        </ConfirmButton>
        <span>{checked === undefined ? words.checkFirst : isCurrent ? '' : words.changedSince}</span>
      </Group>
      {check.error !== null && (
        <Answer>
          <Failure failure={check.error} />
          {leaveOut(findRefused(check.error), (_, place) => place)}
        </Answer>
      )}
      {checked !== undefined && (
        <Answer key={checked.times}>
          <Section title={words.outcome}>
            <output>
              {words.wouldSucceed(checked.orders.length - failing, checked.orders.length)}
              {words.gap}
              {failing > 0 ? words.wouldFail(failing) : words.allGood}
            </output>
            {leaveOut(failedSequences, sequenceOf)}
            <DataTable
              label={words.outcome}
              columns={columns}
              rows={checked.orders}
              rowKey={({ sequence }) => String(sequence)}
              isStale={!isCurrent}
            />
          </Section>
        </Answer>
      )}
    </>
  );
}

const sequenceOf = (order: unknown) => (order as { sequence?: unknown }).sequence;

/** Returns the places of the orders that the faults of a refused check name. */
const findRefused = ({ faults }: CallFailure) =>
  new Set(faults.flatMap(({ path }) => /^orderList\[(\d+)\]/.exec(path)?.[1] ?? []).map(Number));

/** Asks before the operator leaves a page with unsaved changes. On closing the tab, the browser asks. */
function LeaveGuard({ isAsking }: { isAsking: () => boolean }) {
  const blocker = useBlocker({ shouldBlockFn: isAsking, enableBeforeUnload: isAsking, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog
      title={words.leaveTitle}
      onClose={blocker.reset}
      dismiss={{ children: words.stay }}
      confirm={{ children: words.leave, onClick: blocker.proceed, color: 'red' }}
    >
      <p>{words.leaveText}</p>
    </Dialog>
  );
}

/** Parses the editor's text, if any, into orders, or says what is wrong. A repeated key is (rules 4). */
function parseOrders(text: string | null): { orders: unknown[] | null; fault?: string } | null {
  if (text === null) return null;
  const fault = findJsonFault(text);
  if (fault !== undefined) {
    const place = fillIn('{0:json}', fault, language === 'zh' ? wordsInChinese : english);
    return { orders: null, fault: `${words.notJson}${words.colon}${place}` };
  }
  const orders: unknown = JSON.parse(text);
  return Array.isArray(orders) ? { orders } : { orders: null, fault: words.notList };
}

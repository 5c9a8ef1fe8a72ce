import type { ConsoleBatchDetail, FailureGroup, TracedBatch } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { CallFailure, type CallOf, downloadOperation, useMayCall, useOperation } from '../../api/index.ts';
import {
  ConfirmButton,
  CopyId,
  Dialog,
  Failure,
  Fields,
  Figure,
  Figures,
  Filters,
  NoRows,
  optionsOf,
  Page,
  ProgressBar,
  Query,
  Section,
  StateBadge,
  Time,
  useStateWords,
} from '../../kit/index.ts';
import { useCauseWords } from '../../words/causes.ts';
import { ORDER_CAUSES } from '../../words/codes.ts';
import { kitWords } from '../../words/kit.ts';
import { useCodeNames, useNumberFormat, useWords } from '../../words/words.ts';
import { ApplicationLink, BatchLink } from '../links.tsx';
import { OrderTable } from '../orders/Orders.tsx';
import { Resends } from './Batches.tsx';
import failureGroupsStyles from './FailureGroups.module.css';
import { batchesWords } from './words.ts';

const REFRESH_MS = 1_000;
const route = getRouteApi('/batches/$batchId');

/** One batch: progress, failures by cause, orders, and actions. */
export function BatchPage() {
  const words = useWords(batchesWords);
  const { batchId } = route.useParams();
  const batch = useOperation(
    'getBatch',
    { params: { batchId } },
    { refreshMs: (data) => (data?.state === 'completed' ? false : REFRESH_MS) },
  );
  const { data } = batch;
  return (
    <Page
      title={data === undefined ? words.batch : `${words.batch} ${data.channelOrderId}`}
      beside={data && <StateBadge state={data.state} />}
      crumbs={[{ text: words.batches, to: '/batches' }]}
      actions={data && <BatchActions batch={data} />}
    >
      <Query of={batch}>
        {(read) => (
          <>
            <BatchProgress batch={read} />
            <Resends resends={read.resends} />
            <BatchFields batch={read} />
            {read.failed > 0 && <FailureGroups batch={read} />}
            <BatchOrders batch={read} />
          </>
        )}
      </Query>
    </Page>
  );
}

function BatchActions({ batch }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const mayCall = useMayCall();
  const { batchId, failed, pending, state } = batch;
  return (
    <>
      {pending > 0 && <CancelBatch batch={batch} />}
      {failed > 0 && mayCall('downloadFailedOrders') && <DownloadFailed batch={batch} />}
      {failed > 0 && state === 'completed' && mayCall('resendOrders') && (
        <Button
          variant="default"
          renderRoot={(props) => <Link to="/batches/$batchId/resend" params={{ batchId }} {...props} />}
        >
          {words.resend}
        </Button>
      )}
    </>
  );
}

function BatchProgress({ batch: { total, succeeded, failed, pending, held } }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const write = useNumberFormat();
  const label = words.progress(write(succeeded + failed), write(total));
  return (
    <>
      <Figures>
        <Figure label={words.orders} value={total} />
        <Figure label={words.succeeded} value={succeeded} tone={succeeded > 0 ? 'good' : 'neutral'} />
        <Figure label={words.failed} value={failed} tone={failed > 0 ? 'bad' : 'neutral'} />
        <Figure label={words.pending} value={pending} tone={pending > 0 ? 'busy' : 'neutral'} />
        {held > 0 && <Figure label={words.held} value={held} tone="warn" />}
      </Figures>
      {pending > 0 && <ProgressBar label={label} total={total} succeeded={succeeded} failed={failed} />}
    </>
  );
}

function BatchFields({ batch }: { batch: TracedBatch }) {
  const codeName = useCodeNames();
  const words = useWords(batchesWords);
  const { channelOrderId, channelCode, syncMode, requestId, batchId, resentFrom } = batch;
  const { acceptedTime, completedTime, estimatedCompletionTime, reopenedTime } = batch;
  return (
    <Fields
      fields={[
        { label: words.channelOrderId, value: <CopyId id={channelOrderId} /> },
        { label: words.channel, value: channelCode },
        { label: words.application, value: <ApplicationLink of={batch} /> },
        { label: words.madeFrom, value: resentFrom === null ? undefined : <BatchLink batch={resentFrom} /> },
        { label: words.mode, value: codeName(syncMode) },
        { label: words.accepted, value: <Time timeMs={acceptedTime} isRelative withUtc /> },
        { label: words.completed, value: completedTime === null ? null : <Time timeMs={completedTime} withUtc /> },
        {
          label: words.expected,
          value: estimatedCompletionTime === null ? undefined : <Time timeMs={estimatedCompletionTime} withUtc />,
        },
        {
          label: words.reopened,
          value: reopenedTime === null ? undefined : <Time timeMs={reopenedTime} isRelative withUtc />,
        },
        { label: words.batchId, value: <CopyId id={batchId} what={words.batchId} /> },
        { label: words.requestId, value: <CopyId id={requestId} what={words.requestId} /> },
      ]}
    />
  );
}

/** Cancels the pending orders of a batch after confirmation. */
function CancelBatch({ batch: { batchId, pending } }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const write = useNumberFormat();
  return (
    <ConfirmButton
      operation="cancelBatch"
      call={{ params: { batchId } }}
      label={words.cancel}
      title={words.cancelTitle(write(pending))}
      confirmLabel={words.cancelConfirm}
      dismissLabel={words.cancelDismiss}
      isDangerous
      done={({ cancelled }) => (cancelled === 0 ? words.nothingCancelled : words.cancelled(write(cancelled)))}
    >
      <p>{words.cancelText}</p>
      <p>{words.cancelFinished}</p>
    </ConfirmButton>
  );
}

/** Saves the failed orders of a batch as a file, or shows why that failed. */
function DownloadFailed({ batch: { batchId, channelOrderId } }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const shared = useWords(kitWords);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<CallFailure>();
  const download = async () => {
    setBusy(true);
    try {
      saveFile(
        await downloadOperation('downloadFailedOrders', { params: { batchId } }),
        `failed-${channelOrderId}.json`,
      );
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const close = () => setFailure(undefined);
  return (
    <>
      <Button variant="default" loading={isBusy} title={words.downloadHint} onClick={() => void download()}>
        {words.download}
      </Button>
      {failure !== undefined && (
        <Dialog
          title={words.download}
          onClose={close}
          actions={
            <Button variant="default" onClick={close}>
              {shared.close}
            </Button>
          }
        >
          <Failure failure={failure} />
        </Dialog>
      )}
    </>
  );
}

/** Saves a blob as a file. The URL can be revoked right after the click. */
function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** The failures of a batch, grouped by cause, with their messages. */
function FailureGroups({ batch: { batchId, state } }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const isRunning = state !== 'completed';
  const found = useOperation('getBatchFailures', { params: { batchId } }, { refreshMs: refreshWhile(isRunning) });
  useReadAtEnd(isRunning, found);
  return (
    <Section title={words.failures}>
      <Query of={found}>
        {({ failures }) => (
          <ul className={failureGroupsStyles.groups}>
            {failures.map((group) => (
              <li key={group.cause}>
                <Group batchId={batchId} group={group} />
              </li>
            ))}
          </ul>
        )}
      </Query>
    </Section>
  );
}

/** One cause with its messages, linked to its orders in the list below. */
function Group({ batchId, group }: { batchId: string; group: FailureGroup }) {
  const words = useWords(batchesWords);
  const causeWords = useCauseWords();
  const write = useNumberFormat();
  const { cause, orders, messages, otherOrders } = group;
  return (
    <>
      <p className={failureGroupsStyles.cause}>
        <Link
          to="/batches/$batchId"
          params={{ batchId }}
          search={{ state: 'failed', cause }}
          resetScroll={false}
          aria-label={words.showThese(cause)}
        >
          <code>{cause}</code>
        </Link>{' '}
        · {words.ordersOf(write(orders))}
      </p>
      <ul className={failureGroupsStyles.messages} aria-label={words.messages}>
        {messages.map((each) => (
          <li key={each.message}>
            {causeWords(cause, each.message)}
            {each.orders > 1 && (
              <span className={failureGroupsStyles.count}> · {words.ordersOf(write(each.orders))}</span>
            )}
          </li>
        ))}
        {otherOrders > 0 && <li className={failureGroupsStyles.count}>{words.otherMessages(write(otherOrders))}</li>}
      </ul>
    </>
  );
}

const PAGE_SIZE = '200';
const STATES = ['pending', 'succeeded', 'failed'] as const;
const ordersRoute = getRouteApi('/batches/$batchId');

/** The orders of a batch, filtered by state and cause. */
function BatchOrders({ batch: { batchId, state } }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const stateWords = useStateWords();
  const { cursor, ...filters } = ordersRoute.useSearch();
  const isRunning = state !== 'completed';
  const query = { ...filters, cursor, limit: PAGE_SIZE } as CallOf<'listBatchOrders'>['query'];
  const found = useOperation(
    'listBatchOrders',
    { params: { batchId }, query },
    { keepsPrevious: true, refreshMs: refreshWhile(isRunning) },
  );
  useReadAtEnd(isRunning, found);
  return (
    <Section title={words.ordersOfBatch}>
      <Filters
        fields={[
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, stateWords) },
          { name: 'cause', label: words.cause, kind: 'select', options: optionsOf(ORDER_CAUSES) },
        ]}
      />
      <Query of={found}>
        {({ orders, nextCursor }) => (
          <OrderTable
            label={words.itsOrders}
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
    </Section>
  );
}

const SECTION_REFRESH_MS = 2_000;

/** The reload interval of a section while its batch runs; false after that. */
const refreshWhile = (isRunning: boolean): number | false => (isRunning ? SECTION_REFRESH_MS : false);

/** Reloads once when the batch completes: the reload before may have missed its last orders. */
function useReadAtEnd(isRunning: boolean, { refetch }: { refetch: () => Promise<unknown> }): void {
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) void refetch();
    wasRunning.current = isRunning;
  }, [isRunning, refetch]);
}

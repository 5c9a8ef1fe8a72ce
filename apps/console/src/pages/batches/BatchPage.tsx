import type { ConsoleBatchDetail, TracedBatch, TracedOrder } from '@lockstep/contract/console';
import { ORDER_FAILURES } from '@lockstep/contract/words';
import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { downloadOperation } from '../../api/calls.ts';
import { useMayCall, useOperation } from '../../api/operations.ts';
import { ConfirmButton } from '../../kit/dialogs.tsx';
import { SaveButton } from '../../kit/export.tsx';
import { ButtonLink, optionsOf } from '../../kit/inputs.tsx';
import { Page, Section } from '../../kit/page.tsx';
import { StateBadge } from '../../kit/signs.tsx';
import { List } from '../../kit/table.tsx';
import { CopyId, Fields, Figure, Figures, ProgressBar, Time } from '../../kit/values.tsx';
import { explainCause } from '../../words/causes.ts';
import { stateWords } from '../../words/codes.ts';
import { codeName } from '../../words/formats.ts';
import { PauseNotice } from '../channels/Channels.tsx';
import { ApplicationLink, BatchLink, pageOf } from '../links.tsx';
import { orderTable } from '../orders/Orders.tsx';
import styles from '../pages.module.css';
import { Resends } from './Batches.tsx';
import { batchesWords as words } from './words.ts';

const REFRESH_MS = 1_000;
/** Between reloads of a section while the batch runs. */
const SECTION_REFRESH_MS = 2_000;
/** One batch: progress, failures by cause, orders, and actions. */
export function BatchPage() {
  const { batchId } = useParams({ from: '/batches/$batchId' });
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
      of={batch}
    >
      {(read) => (
        <>
          <BatchProgress batch={read} />
          {read.pauses.map((pause) => (
            <PauseNotice key={pause.channelCode} pause={pause} />
          ))}
          <Resends batch={read} />
          <BatchFields batch={read} />
          {read.failed > 0 && <FailureGroups batch={read} />}
          <BatchOrders batch={read} />
        </>
      )}
    </Page>
  );
}

function BatchActions({ batch }: { batch: ConsoleBatchDetail }) {
  const mayCall = useMayCall();
  const { batchId, failed, resent, pending, state } = batch;
  return (
    <>
      {pending > 0 && (
        <ConfirmButton
          operation="cancelBatch"
          call={{ params: { batchId } }}
          label={words.cancel}
          title={words.cancelTitle(pending)}
          confirmLabel={words.cancelConfirm}
          dismissLabel={words.cancelDismiss}
          isDangerous
          done={({ cancelled }) => (cancelled === 0 ? words.nothingCancelled : words.cancelled(cancelled))}
        >
          <p>{words.cancelText}</p>
          <p>{words.cancelFinished}</p>
        </ConfirmButton>
      )}
      {failed > 0 && mayCall('downloadFailedOrders') && <DownloadFailed batch={batch} />}
      {failed > resent && state === 'completed' && mayCall('resendOrders') && (
        <ButtonLink variant="default" to={pageOf.resend(batchId)}>
          {words.resend}
        </ButtonLink>
      )}
    </>
  );
}

/** Saves the failed orders of a batch as a file. */
function DownloadFailed({ batch: { batchId, channelOrderId } }: { batch: ConsoleBatchDetail }) {
  const fetchFile = async () => ({
    file: await downloadOperation('downloadFailedOrders', { params: { batchId } }),
    name: `failed-${channelOrderId}.json`,
  });
  return (
    <SaveButton title={words.downloadHint} failedTitle={words.download} fetchFile={fetchFile}>
      {words.download}
    </SaveButton>
  );
}

function BatchProgress({ batch: { total, succeeded, failed, resent, pending, held } }: { batch: ConsoleBatchDetail }) {
  const label = words.progress(succeeded + failed, total);
  return (
    <>
      <Figures>
        <Figure label={words.orders} value={total} />
        <Figure label={words.succeeded} value={succeeded} tone="good" />
        <Figure label={words.failed} value={failed - resent} tone="bad" />
        {resent > 0 && <Figure label={words.resentOrders} value={resent} />}
        <Figure label={words.pending} value={pending - held} tone="busy" />
        {held > 0 && <Figure label={words.held} value={held} tone="warn" />}
      </Figures>
      {pending > 0 && <ProgressBar label={label} total={total} succeeded={succeeded} failed={failed} />}
    </>
  );
}

function BatchFields({ batch }: { batch: TracedBatch }) {
  const { batchId, requestId, resentFrom, completedTime, estimatedCompletionTime: expectedTime, reopenedTime } = batch;
  return (
    <Fields
      fields={{
        [words.channelOrderId]: <CopyId id={batch.channelOrderId} />,
        [words.channel]: <Link {...pageOf.channel(batch.channelCode)}>{batch.channelCode}</Link>,
        [words.application]: <ApplicationLink of={batch} />,
        [words.madeFrom]: resentFrom ? <BatchLink batch={resentFrom} /> : undefined,
        [words.mode]: codeName(batch.syncMode),
        [words.acceptedTime]: <Time timeMs={batch.acceptedTime} isExact />,
        [words.completed]: completedTime && <Time timeMs={completedTime} isExact />,
        [words.expected]: expectedTime ? <Time timeMs={expectedTime} isExact /> : undefined,
        [words.reopened]: reopenedTime ? <Time timeMs={reopenedTime} isExact /> : undefined,
        [words.batchId]: <CopyId id={batchId} what={words.batchId} />,
        [words.requestId]: <CopyId id={requestId} what={words.requestId} />,
      }}
    />
  );
}

/** The failures of a batch, grouped by cause, with their messages. A cause links to its orders in the list below. */
function FailureGroups({ batch: { batchId, state } }: { batch: ConsoleBatchDetail }) {
  const mayCall = useMayCall();
  const refreshMs = state !== 'completed' && SECTION_REFRESH_MS;
  const found = useOperation('getBatchFailures', { params: { batchId } }, { refreshMs });
  const ordersOf = (cause: string) => ({ ...pageOf.batch(batchId), search: { state: 'failed', cause } });
  return (
    <Section title={words.failures} of={found}>
      {({ failures }) => (
        <Stack component="ul" className="plain">
          {failures.map(({ cause, orders, resent, messages, otherOrders }) => (
            <li key={cause}>
              <strong>
                <Link {...ordersOf(cause)} resetScroll={false} aria-label={words.showThese(cause)}>
                  <code>{cause}</code>
                </Link>{' '}
                · {words.ordersOf(orders)}
                {resent > 0 && ` · ${words.resent(resent)}`}
                {orders > resent && state === 'completed' && mayCall('resendOrders') && (
                  <>
                    {' · '}
                    <Link {...pageOf.resend(batchId, { cause })}>{words.sendThese}</Link>
                  </>
                )}
              </strong>
              <Stack component="ul" gap={0} ps="lg" className={`plain ${styles.wraps}`} aria-label={words.messages}>
                {messages.map((each) => (
                  <li key={each.message}>
                    {explainCause({ cause, ...each })}
                    {each.orders > 1 && <span className="dimmed"> · {words.ordersOf(each.orders)}</span>}
                  </li>
                ))}
                {otherOrders > 0 && (
                  <li>
                    <Link {...ordersOf(cause)} resetScroll={false}>
                      {words.otherMessages(otherOrders)}
                    </Link>
                  </li>
                )}
              </Stack>
            </li>
          ))}
        </Stack>
      )}
    </Section>
  );
}

const STATES = ['pending', 'succeeded', 'failed'] as const;

/** The orders of a batch, filtered by state and cause. */
function BatchOrders({ batch }: { batch: ConsoleBatchDetail }) {
  const { batchId, state } = batch;
  const isRunning = state !== 'completed';
  useReloadAtEnd(isRunning);
  return (
    <Section title={words.orders}>
      <List
        label={words.itsOrders}
        operation="listBatchOrders"
        call={{ params: { batchId }, query: { limit: '200' } }}
        refreshMs={isRunning && SECTION_REFRESH_MS}
        filters={[
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, stateWords) },
          { name: 'cause', label: words.cause, kind: 'select', options: optionsOf(ORDER_FAILURES) },
        ]}
        {...orderTable<TracedOrder>(() => batch)}
        none={[words.noOrders, words.noOrdersAdvice]}
      />
    </Section>
  );
}

/** Reloads the page's data when the batch completes: the reload before may have missed its last orders. */
function useReloadAtEnd(isRunning: boolean): void {
  const client = useQueryClient();
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) void client.invalidateQueries();
    wasRunning.current = isRunning;
  }, [isRunning, client]);
}

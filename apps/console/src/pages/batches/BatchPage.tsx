import type { ConsoleBatchDetail, TracedBatch } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMayCall, useOperation } from '../../api/index.ts';
import { CopyId, Fields, Figure, Figures, Page, ProgressBar, Query, StateBadge, Time } from '../../kit/index.ts';
import { useCodeNames } from '../../words/code-names.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { ApplicationLink } from './ApplicationLink.tsx';
import { BatchLink } from './BatchLink.tsx';
import { BatchOrders } from './BatchOrders.tsx';
import { CancelBatch } from './CancelBatch.tsx';
import { DownloadFailed } from './DownloadFailed.tsx';
import { FailureGroups } from './FailureGroups.tsx';
import { Resends } from './Resends.tsx';
import { batchesWords } from './words.ts';

const REFRESH_MS = 1_000;
const route = getRouteApi('/batches/$batchId');

/** One batch: progress, failures by cause, orders, and actions. */
export default function BatchPage() {
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

import type { TracedBatch } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type CallOf, useOperation } from '../../api/index.ts';
import { Page, Query } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ResendForm } from './ResendForm.tsx';
import { Resends } from './Resends.tsx';
import { resendWords } from './resend-words.ts';
import { batchesWords } from './words.ts';

const route = getRouteApi('/batches/$batchId/resend');

/** Fixes and resends the failed orders of a batch. */
export default function ResendPage() {
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

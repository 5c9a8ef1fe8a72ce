import type { ConsoleOrder } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMayCall, useOperation } from '../../api/index.ts';
import { useWords } from '../../words/words.ts';
import { Resends } from '../batches/Resends.tsx';
import { ordersWords } from './words.ts';

const REFRESH_MS = 2_000;
type FailedOrder = Pick<ConsoleOrder, 'batchId' | 'licenseOrderId'>;

/** Links to the page that fixes and resends a failed order. Hidden if the role may not; a note while the batch runs. */
export function FixAndResend({ order: { batchId, licenseOrderId } }: { order: FailedOrder }) {
  const words = useWords(ordersWords);
  const mayCall = useMayCall();
  const { data } = useOperation(
    'getBatch',
    { params: { batchId } },
    { refreshMs: (read) => (read?.state === 'completed' ? false : REFRESH_MS) },
  );
  if (!mayCall('resendOrders') || data === undefined) return null;
  if (data.state !== 'completed') return words.batchRuns;
  return (
    <Button
      renderRoot={(props) => (
        <Link to="/batches/$batchId/resend" params={{ batchId }} search={{ order: licenseOrderId }} {...props} />
      )}
    >
      {words.fixAndResend}
    </Button>
  );
}

/** The batches as which failed orders of this order's batch were resent. Renders nothing if there are none. */
export function ResentBatch({ order: { batchId } }: { order: FailedOrder }) {
  const { data } = useOperation('getBatch', { params: { batchId } });
  return data === undefined ? null : <Resends resends={data.resends} />;
}

import { Link } from '@tanstack/react-router';
import { CopyId } from '../../kit/index.ts';

/** The number of a batch, which can be copied, with a link to its page. */
export function BatchLink({
  batch: { batchId, channelOrderId },
}: {
  batch: { batchId: string; channelOrderId: string };
}) {
  return (
    <CopyId id={channelOrderId}>
      <Link to="/batches/$batchId" params={{ batchId }}>
        {channelOrderId}
      </Link>
    </CopyId>
  );
}

import { Link } from '@tanstack/react-router';
import { CopyId } from '../../kit/index.ts';

/** A batch number that links to its page and can be copied. */
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

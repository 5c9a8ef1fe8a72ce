import { ConsoleRefusal } from '@lockstep/contract/console';
import { type ArchivedBatch, dayOf } from '@lockstep/orders/operator';

/** The refusal of a page about a batch, or an order of it, that is archived. */
export function refuseArchived(kind: 'batch' | 'order', id: string, batch: ArchivedBatch): ConsoleRefusal {
  return new ConsoleRefusal(
    'archived',
    kind,
    id,
    `${batch.channelCode} ${batch.channelOrderId}`,
    dayOf(batch.archivedTime),
  );
}

import { type Aged, SECONDS_OF_DAY } from '@lockstep/platform';

/** Messages with their attempts, and webhooks that were deleted: kept as long as events (rules 6.8). */
export function agedWebhooks({ eventDays }: { eventDays: number }): Aged[] {
  const maxAgeSeconds = eventDays * SECONDS_OF_DAY;
  return [
    { kind: 'webhook_delivery', table: 'webhook_delivery', timeColumn: 'created_time', maxAgeSeconds },
    // By then all of its messages have been deleted.
    { kind: 'webhook', table: 'webhook', timeColumn: 'deleted_time', maxAgeSeconds },
  ];
}

import { type Aged, SECONDS_OF_DAY } from '@lockstep/platform';

/** How long the console can look back at what the service did. */
const ACTIVITY_DAYS = 14;
/** How long it is known how much came behind a batch of a channel. */
const CHANNEL_ACTIVITY_SECONDS = 2 * 3_600;

/**
 * What failed orders held, events, each kept for some days (rules 6.7 and 6.8), and what the console shows of activity.
 */
export function agedOrders({ failedOrderDays, eventDays }: { failedOrderDays: number; eventDays: number }): Aged[] {
  const failed = { table: 'failed_order', timeColumn: 'failed_time' } as const;
  const events = { table: 'event', timeColumn: 'created_time' } as const;
  const activitySeconds = ACTIVITY_DAYS * SECONDS_OF_DAY;
  return [
    { kind: 'failed_order', ...failed, maxAgeSeconds: failedOrderDays * SECONDS_OF_DAY },
    { kind: 'event', ...events, maxAgeSeconds: eventDays * SECONDS_OF_DAY },
    { kind: 'order_activity', table: 'order_activity', timeColumn: 'period_start', maxAgeSeconds: activitySeconds },
    {
      kind: 'channel_activity',
      table: 'channel_activity',
      timeColumn: 'period_start',
      maxAgeSeconds: CHANNEL_ACTIVITY_SECONDS,
    },
    { kind: 'failure_activity', table: 'failure_activity', timeColumn: 'minute_start', maxAgeSeconds: activitySeconds },
  ];
}

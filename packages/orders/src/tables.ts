import { type Aged, SECONDS_OF_DAY } from '@lockstep/platform';

/** How many days of activity the console can show. */
const ACTIVITY_DAYS = 14;
/** How long the service knows how many orders were accepted after a batch. */
const CHANNEL_ACTIVITY_SECONDS = 2 * 3_600;

/** What cleanup deletes: content of failed orders and events, after some days (rules 6.7 and 6.8), and activity. */
export function agedOrders({ failedOrderDays, eventDays }: { failedOrderDays: number; eventDays: number }): Aged[] {
  return [
    { table: 'failed_order', timeColumn: 'failed_time', maxAgeSeconds: failedOrderDays * SECONDS_OF_DAY },
    { table: 'event', timeColumn: 'created_time', maxAgeSeconds: eventDays * SECONDS_OF_DAY },
    { table: 'batch_trace', timeColumn: 'created_time', maxAgeSeconds: eventDays * SECONDS_OF_DAY },
    { table: 'order_activity', timeColumn: 'period_start', maxAgeSeconds: ACTIVITY_DAYS * SECONDS_OF_DAY },
    { table: 'channel_activity', timeColumn: 'period_start', maxAgeSeconds: CHANNEL_ACTIVITY_SECONDS },
    { table: 'failure_activity', timeColumn: 'minute_start', maxAgeSeconds: ACTIVITY_DAYS * SECONDS_OF_DAY },
  ];
}

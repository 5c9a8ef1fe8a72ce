import { type Aged, SECONDS_OF_DAY } from '@lockstep/platform';

/** What failed orders held, and events, each kept for some days (rules 6.7 and 6.8). */
export function agedOrders({ failedOrderDays, eventDays }: { failedOrderDays: number; eventDays: number }): Aged[] {
  const failed = { table: 'failed_order', timeColumn: 'failed_time' } as const;
  const events = { table: 'event', timeColumn: 'created_time' } as const;
  return [
    { kind: 'failed_order', ...failed, maxAgeSeconds: failedOrderDays * SECONDS_OF_DAY },
    { kind: 'event', ...events, maxAgeSeconds: eventDays * SECONDS_OF_DAY },
  ];
}

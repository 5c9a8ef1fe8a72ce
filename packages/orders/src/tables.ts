import type {
  ApplicationId,
  BatchId,
  CustomerId,
  EventId,
  EventType,
  LicenseOrderId,
  OrderType,
} from '@lockstep/contract';
import { type Aged, SECONDS_OF_DAY } from '@lockstep/platform';
import type { Generated } from 'kysely';

declare module '@lockstep/platform' {
  interface Tables {
    batch: {
      id: BatchId;
      application_id: ApplicationId;
      channel_code: string;
      channel_order_id: string;
      sync_mode: 'sync' | 'async';
      digest: Buffer;
      sequences: number[];
      customer_ids: CustomerId[];
      order_types: string[];
      accepted_time: Generated<Date>;
      digest_version: number;
      request_id: string;
      completed_time: Date | null;
      succeeded: number | null;
      failed: number | null;
      reopened_time: Date | null;
      has_retries: Generated<boolean>;
    };
    batch_trace: {
      batch_id: BatchId;
      traceparent: string;
      created_time: Generated<Date>;
    };
    lane_chunk: {
      batch_id: BatchId;
      lane: number;
      customer_ids: CustomerId[];
      order_count: number;
      weight: number;
      payload: string | null;
      accepted_time: Generated<Date>;
      finished_time: Date | null;
      succeeded: Generated<number>;
      failed: Generated<number>;
      payload_version: number;
      is_held: Generated<boolean>;
    };
    order_hold: {
      customer_id: CustomerId;
      lane: number;
      license_order_id: LicenseOrderId;
      since: Generated<Date>;
      tries: Generated<number>;
      next_try: Date;
      last_error: string;
    };
    held_order: {
      license_order_id: LicenseOrderId;
      customer_id: CustomerId;
      batch_id: BatchId;
      lane: number;
      sequence: number;
      payload_version: number;
      content: string;
    };
    license_order: {
      id: LicenseOrderId;
      order_type: OrderType;
      customer_id: CustomerId;
      cause: string | null;
      args: unknown | null;
      assets: number;
      products: number;
      finished_time: Generated<Date>;
      src_license_order_id: LicenseOrderId | null;
    };
    unnumbered_event: {
      id: Generated<EventId>;
      application_id: ApplicationId | null;
      customer_id: CustomerId | null;
      by_application_id: ApplicationId | null;
      license_order_id: LicenseOrderId | null;
      lead_days: number | null;
      type: EventType;
      happened_time: Generated<Date>;
      batch_id: BatchId | null;
      succeeded: number | null;
      failed: number | null;
      cancelled: number | null;
      data: unknown | null;
    };
    failed_order: {
      license_order_id: LicenseOrderId;
      payload_version: number;
      content: string;
      failed_time: Generated<Date>;
      asset_nums: string[];
    };
  }
}

/** How many days of activity the console can show. */
const ACTIVITY_DAYS = 14;
/** How long the service knows how many orders were accepted after a batch. */
const CHANNEL_ACTIVITY_SECONDS = 2 * 3_600;

/** What cleanup deletes: content of failed orders and events, after some days (rules 6.7 and 6.8), and activity. */
export function agedOrders({ failedOrderDays, eventDays }: { failedOrderDays: number; eventDays: number }): Aged[] {
  const failed = { table: 'failed_order', timeColumn: 'failed_time' } as const;
  const events = { table: 'event', timeColumn: 'created_time' } as const;
  const traces = { table: 'batch_trace', timeColumn: 'created_time' } as const;
  const activitySeconds = ACTIVITY_DAYS * SECONDS_OF_DAY;
  return [
    { kind: 'failed_order', ...failed, maxAgeSeconds: failedOrderDays * SECONDS_OF_DAY },
    { kind: 'event', ...events, maxAgeSeconds: eventDays * SECONDS_OF_DAY },
    { kind: 'batch_trace', ...traces, maxAgeSeconds: eventDays * SECONDS_OF_DAY },
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

import type { ApplicationId, BatchEnd, EventId, EventType } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';

/** What a message says of an event: the same as the feed (rules 6.8). */
export interface EventMessage {
  id: EventId;
  type: EventType;
  time: number;
  data: BatchEnd;
}

interface EventRow {
  position: EventId;
  type: EventType;
  completed_time: Date;
  succeeded: number;
  failed: number;
  cancelled: number;
  channel_code: string;
  channel_order_id: string;
  sync_mode: 'sync' | 'async';
  accepted_time: Date;
}

/** Reads events by their positions, each for the application that it is of. Those that are not kept are missing. */
export async function readEventMessages(
  trx: Trx,
  wanted: readonly { application_id: ApplicationId; position: EventId | null }[],
): Promise<Map<EventId, EventMessage>> {
  const { rows } = await sql<EventRow>`
    select e.position, e.type, e.completed_time, e.succeeded, e.failed, e.cancelled,
      b.channel_code, b.channel_order_id, b.sync_mode, b.accepted_time
    from unnest(${wanted.map(({ application_id }) => application_id)}::bigint[], ${wanted.map(({ position }) => position)}::bigint[])
      as wanted (application_id, position)
    join event e using (application_id, position)
    join batch b on b.id = e.batch_id and b.application_id = e.application_id`.execute(trx);
  return new Map(rows.map((row) => [row.position, buildEvent(row)]));
}

function buildEvent(row: EventRow): EventMessage {
  const { succeeded, failed, cancelled } = row;
  const time = row.completed_time.getTime();
  return {
    id: row.position,
    type: row.type,
    time,
    data: {
      channelCode: row.channel_code,
      channelOrderId: row.channel_order_id,
      syncMode: row.sync_mode,
      state: 'completed',
      total: succeeded + failed,
      succeeded,
      failed,
      pending: 0,
      acceptedTime: row.accepted_time.getTime(),
      completedTime: time,
      cancelled,
    },
  };
}

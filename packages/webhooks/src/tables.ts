import type { ApplicationId, EventId, WebhookId } from '@lockstep/contract';
import { type Aged, SECONDS_OF_DAY } from '@lockstep/platform';
import type { Generated } from 'kysely';

declare module '@lockstep/platform' {
  interface Tables {
    webhook: {
      id: Generated<WebhookId>;
      application_id: ApplicationId;
      url: string;
      description: string | null;
      types: string[] | null;
      channel_codes: string[] | null;
      after_position: EventId;
      replay_after: EventId | null;
      replay_until: EventId | null;
      at_once: Generated<number>;
      last_attempt_prompt: boolean | null;
      failing_since: Date | null;
      failing_told: Generated<boolean>;
      paused_time: Date | null;
      disabled_time: Date | null;
      disabled_cause: 'endpoint_gone' | 'attempts_exhausted' | null;
      deleted_time: Date | null;
    };
  }
}

/** What cleanup deletes: messages with their attempts, and deleted webhooks, kept as long as events (rules 6.8). */
export function agedWebhooks({ eventDays }: { eventDays: number }): Aged[] {
  const maxAgeSeconds = eventDays * SECONDS_OF_DAY;
  return [
    { table: 'webhook_delivery', timeColumn: 'created_time', maxAgeSeconds },
    { table: 'webhook_old_secret', timeColumn: 'end_time', maxAgeSeconds: 0 },
    // All of its messages have been deleted by then.
    { table: 'webhook', timeColumn: 'deleted_time', maxAgeSeconds },
  ];
}

import { z } from 'zod';
import { ListPageQuery } from '../orders/lists.ts';
import { emptyAsAbsent, optionalId, optionalText } from '../scalars.ts';
import { DeliveryPage, Webhook, WebhookDelivery, WebhookParams } from '../webhooks.ts';
import { ApplicationStatus, BoundedCount } from './applications.ts';
import { consoleTable } from './operation.ts';

/** What a webhook does: events reach it, its last attempt failed, or nothing is sent until it is enabled. */
export const WebhookHealth = z.enum(['active', 'failing', 'disabled']);
export type WebhookHealth = z.infer<typeof WebhookHealth>;

/** A webhook as operators see it; never a secret, and not the query of its address, which may hold one. */
export const ConsoleWebhook = Webhook.omit({ state: true }).extend({
  state: WebhookHealth,
  appKey: z.string(),
  applicationName: z.string(),
  /** Only an approved application's webhooks get events. */
  applicationStatus: ApplicationStatus,
  /** When the first attempt began of those that failed in a row; null unless the last one failed. */
  failingSinceTime: z.number().nullable(),
});
export type ConsoleWebhook = z.infer<typeof ConsoleWebhook>;

/** A webhook, and what it has not got yet. */
export const ConsoleWebhookDetail = ConsoleWebhook.extend({
  /** Messages that wait to be sent, or to be sent again. */
  pending: BoundedCount,
  /** When the next of them is sent; null where none waits. */
  nextAttemptTime: z.number().nullable(),
  /** Events behind those, for which there are no messages yet. */
  waitingEvents: BoundedCount,
  /** When the oldest event came up that it has not got, of all these; null if it has got all. */
  oldestMissingTime: z.number().nullable(),
});
export type ConsoleWebhookDetail = z.infer<typeof ConsoleWebhookDetail>;

const fromTime = z.number().int().min(0).max(8_640_000_000_000_000).optional();

/** Where applications get events pushed, and whether these reach them. */
export const webhooksOperations = consoleTable({
  listWebhooks: {
    method: 'GET',
    path: '/webhooks',
    role: 'viewer',
    query: z.object({
      state: emptyAsAbsent(WebhookHealth.optional()),
      /** Only those of this application. */
      appKey: optionalText(),
      ...ListPageQuery.shape,
    }),
    data: z.object({ webhooks: z.array(ConsoleWebhook), nextCursor: z.string().nullable() }),
    summary: 'Lists the webhooks of all applications, newest first.',
  },
  getWebhook: {
    method: 'GET',
    path: '/webhooks/{webhookId}',
    role: 'viewer',
    params: WebhookParams,
    data: ConsoleWebhookDetail,
    summary: 'Shows a webhook, and what it has not got yet.',
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/webhooks/{webhookId}/deliveries',
    role: 'viewer',
    params: WebhookParams,
    query: ListPageQuery,
    data: DeliveryPage,
    summary: 'Lists the messages to a webhook with their attempts, newest first.',
  },
  enableWebhook: {
    method: 'POST',
    path: '/webhooks/{webhookId}/enable',
    role: 'support',
    params: WebhookParams,
    body: z.object({
      /** Events from this time on are sent too; absent: only those from now on. */
      fromTime,
    }),
    data: ConsoleWebhook,
    summary: 'Has a disabled webhook get events again.',
  },
  replayWebhook: {
    method: 'POST',
    path: '/webhooks/{webhookId}/replay',
    role: 'support',
    params: WebhookParams,
    body: z
      .object({
        /** Events behind the one with this id are sent. */
        after: optionalId<'EventId'>(),
        /** Events from this time on are sent. */
        fromTime,
      })
      .refine(({ after, fromTime: from }) => after === undefined || from === undefined, {
        path: ['fromTime'],
        message: 'cannot stand beside after',
      }),
    data: ConsoleWebhook,
    summary: 'Has events sent to a webhook again: from one on, from a time on, or all that are kept.',
  },
  testWebhook: {
    method: 'POST',
    path: '/webhooks/{webhookId}/test',
    role: 'support',
    params: WebhookParams,
    data: WebhookDelivery,
    summary: 'Has a test message sent to a webhook.',
  },
});

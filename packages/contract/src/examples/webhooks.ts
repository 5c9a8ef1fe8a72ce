import { done, success } from '../envelope.ts';
import type { Webhook, WebhookDelivery } from '../webhooks.ts';
import { type ExamplesOf, refused, TIME } from './operation.ts';

/** The first webhook of a service, and the secrets that it might have. */
export const WEBHOOK_ID = '1';
const URL = 'https://hooks.works.example/lockstep';
const SECRET = 'whsec_TG9ja3N0ZXAgZXhhbXBsZSBzZWNyZXQgbnVtYmVyIDE=';
const NEW_SECRET = 'whsec_TG9ja3N0ZXAgZXhhbXBsZSBzZWNyZXQgbnVtYmVyIDI=';

const webhook: Webhook = {
  webhookId: WEBHOOK_ID,
  url: URL,
  description: 'Night shift',
  state: 'active',
  createdTime: TIME,
  disabledTime: null,
  disabledCause: null,
};
const test: WebhookDelivery = {
  deliveryId: '1',
  messageId: 'test_1',
  type: 'webhook.test',
  state: 'pending',
  createdTime: TIME,
  attempts: [],
  nextAttemptTime: TIME,
};

const notFound = refused('No such webhook', 'webhook_not_found', '404');

export const createWebhook: ExamplesOf<'createWebhook'> = {
  bodies: { hook: { summary: 'Where events are to be sent', value: { url: URL, description: 'Night shift' } } },
  answers: {
    200: { hook: { summary: 'It is registered; keep the secret', value: success({ ...webhook, secret: SECRET }) } },
    299: refused('An address of a private network', 'webhook_address_forbidden', '10.0.0.5'),
  },
};

export const listWebhooks: ExamplesOf<'listWebhooks'> = {
  answers: {
    200: { one: { summary: 'One webhook', value: success({ webhooks: [webhook] }) } },
    299: refused('The token has expired', 'token_invalid'),
  },
};

export const getWebhook: ExamplesOf<'getWebhook'> = {
  answers: { 200: { active: { summary: 'An active webhook', value: success(webhook) } }, 299: notFound },
};

export const deleteWebhook: ExamplesOf<'deleteWebhook'> = {
  answers: { 200: { deleted: { summary: 'It is deleted', value: done } }, 299: notFound },
};

export const rotateWebhookSecret: ExamplesOf<'rotateWebhookSecret'> = {
  answers: {
    200: { rotated: { summary: 'The new secret', value: success({ ...webhook, secret: NEW_SECRET }) } },
    299: notFound,
  },
};

export const testWebhook: ExamplesOf<'testWebhook'> = {
  answers: { 200: { pending: { summary: 'It will be sent', value: success(test) } }, 299: notFound },
};

export const enableWebhook: ExamplesOf<'enableWebhook'> = {
  answers: { 200: { active: { summary: 'It is active', value: success(webhook) } }, 299: notFound },
};

export const replayWebhook: ExamplesOf<'replayWebhook'> = {
  bodies: { behind: { summary: 'The events behind the last one that was handled', value: { after: '4711' } } },
  answers: {
    200: { behind: { summary: 'They will be sent', value: success(webhook) } },
    299: refused('A field is wrong', 'field_invalid', 'after', 'must be 1 to 19 decimal digits'),
  },
};

export const listDeliveries: ExamplesOf<'listDeliveries'> = {
  answers: {
    200: {
      failed: {
        summary: 'A test that failed',
        value: success({
          deliveries: [
            {
              ...test,
              state: 'failed',
              attempts: [{ time: TIME, status: null, durationMs: 18, fault: 'the name of the host is not known' }],
              nextAttemptTime: null,
            },
          ],
          nextCursor: null,
        }),
      },
    },
    299: refused('A cursor of another list', 'field_invalid', 'cursor', 'is not a cursor of this list'),
  },
};

import type {} from './tables.ts';

export { findEventBefore } from './operator-events.ts';
export { readWebhookTroubles, type WebhookTroubles } from './operator-troubles.ts';
export { countUndelivered } from './operator-undelivered.ts';
export { type AnyWebhook, findAnyWebhook, listWebhookPage, lockAnyWebhook } from './operator-webhooks.ts';

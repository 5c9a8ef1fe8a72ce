import type {} from '../tables.ts';

export { readWebhookTroubles, type WebhookTroubles } from './troubles.ts';
export { countUndelivered, findEventBefore } from './undelivered.ts';
export { type AnyWebhook, findAnyWebhook, listWebhookPage, lockAnyWebhook } from './webhooks.ts';

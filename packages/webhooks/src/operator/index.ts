import type {} from '../tables.ts';

export { readWebhookFaults, type WebhookFaults } from './faults.ts';
export { countUndelivered, findEventBefore } from './undelivered.ts';
export { type AnyWebhook, findAnyWebhook, listWebhookPage, lockAnyWebhook } from './webhooks.ts';

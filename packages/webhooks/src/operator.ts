// What operators read across applications. Only the console and packages/operators may import it.

import type {} from './tables.ts';

export { countUndelivered, readWebhookFaults, type WebhookFaults } from './delivering/state.ts';
export { findWebhook, listWebhookPage, showSentWebhook } from './managing/webhooks.ts';

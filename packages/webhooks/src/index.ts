import type {} from './tables.ts';

export { agedWebhooks } from './aged.ts';
export { WebhookDeliverer } from './deliverer.ts';
export { listDeliveries, testWebhook } from './deliveries.ts';
export {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  listWebhooks,
  readWebhook,
  replayWebhook,
  rotateWebhookSecret,
} from './manage-webhooks.ts';
export { registerWebhookGauges, webhookMetricsOf } from './metrics.ts';
export { Sender } from './sender.ts';

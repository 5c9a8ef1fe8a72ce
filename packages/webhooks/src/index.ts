import type {} from './tables.ts';

export { WebhookDeliverer } from './delivering/deliverer.ts';
export { registerWebhookGauges, webhookMetricsOf } from './delivering/state.ts';
export { listDeliveries, resendDelivery, testWebhook } from './managing/deliveries.ts';
export * from './managing/manage.ts';
export { Sender } from './sending/sender.ts';
export { agedWebhooks } from './tables.ts';

import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const webhooksWords = defineWords({
  en: { webhooks: 'Webhooks', webhook: 'Webhook' },
  zh: { webhooks: 'Webhook', webhook: 'Webhook' },
});

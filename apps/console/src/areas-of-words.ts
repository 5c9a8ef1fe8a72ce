/* The words of each area of the console. */

export { applicationsWords as applications } from './pages/applications/words.ts';
export { assetsWords as assets, reasonWords as reasons } from './pages/assets/words.ts';
export { batchesWords as batches, resendWords as resend } from './pages/batches/words.ts';
export { channelsWords as channels } from './pages/channels/words.ts';
export { enterprisesWords as enterprises } from './pages/enterprises/words.ts';
export { auditWords as auditLog, operatorsWords as operators } from './pages/operators/words.ts';
export { ordersWords as orders } from './pages/orders/words.ts';
export { checkWords as checks } from './pages/overview/check-words.ts';
export { overviewWords as overview } from './pages/overview/words.ts';
export { previewWords as preview } from './pages/preview/words.ts';
export { queueWords as queue } from './pages/queue/words.ts';
export { refusalsWords as refusals } from './pages/refusals/words.ts';
export { sessionWords as session } from './pages/session/words.ts';
export { webhooksWords as webhooks } from './pages/webhooks/words.ts';
export { shellWords as shell } from './shell/words.ts';
export { stateWords as states } from './words/codes.ts';
export { kitWords as kit } from './words/kit.ts';

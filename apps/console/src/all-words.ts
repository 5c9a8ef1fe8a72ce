import { applicationsWords } from './pages/applications/words.ts';
import { assetsWords, reasonWords } from './pages/assets/words.ts';
import { batchesWords, resendWords } from './pages/batches/words.ts';
import { channelsWords } from './pages/channels/words.ts';
import { enterprisesWords } from './pages/enterprises/words.ts';
import { auditWords, operatorsWords } from './pages/operators/words.ts';
import { ordersWords } from './pages/orders/words.ts';
import { checkWords } from './pages/overview/check-words.ts';
import { overviewWords } from './pages/overview/words.ts';
import { previewWords } from './pages/preview/words.ts';
import { queueWords } from './pages/queue/words.ts';
import { refusalsWords } from './pages/refusals/words.ts';
import { sessionWords } from './pages/session/words.ts';
import { webhooksWords } from './pages/webhooks/words.ts';
import { shellWords } from './shell/words.ts';
import { stateWords } from './words/codes.ts';
import { wordsIn } from './words/define-words.ts';
import { kitWords } from './words/kit.ts';
import type { Language } from './words/language.ts';

const areas = {
  applications: applicationsWords,
  assets: assetsWords,
  auditLog: auditWords,
  batches: batchesWords,
  channels: channelsWords,
  checks: checkWords,
  enterprises: enterprisesWords,
  kit: kitWords,
  operators: operatorsWords,
  orders: ordersWords,
  overview: overviewWords,
  preview: previewWords,
  queue: queueWords,
  reasons: reasonWords,
  refusals: refusalsWords,
  resend: resendWords,
  session: sessionWords,
  shell: shellWords,
  states: stateWords,
  webhooks: webhooksWords,
};

const areasIn = (language: Language) =>
  Object.fromEntries(Object.entries(areas).map(([area, words]) => [area, wordsIn(words, language)])) as typeof areas;

/**
 * The console's words by area, for tests: they look for these words, test ids and data, so that a sentence can change
 * without a test.
 */
export const en = areasIn('en');
export const zh = areasIn('zh');
export { translateFault } from './pages/webhooks/faults-zh.ts';
export { causesInChinese, explainInChinese, wordsInChinese } from './words/causes-zh.ts';

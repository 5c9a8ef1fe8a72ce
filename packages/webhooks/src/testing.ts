// What tests of the whole service need of the inside. Nothing else imports it.

export { checkUrl } from './addresses.ts';
export { type Claim, claimDeliveries } from './claim.ts';
export { giveBack, recordAttempts } from './record.ts';
export { AT_ONCE_OF_FAILING } from './turns.ts';

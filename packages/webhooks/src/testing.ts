// What tests of the whole service need from the inside of this package. Nothing else may import it.

export { giveBack, recordAttempts } from './delivering/attempts.ts';
export { type Claim, claimDeliveries } from './delivering/claim.ts';
export { AT_ONCE_OF_FAILING } from './delivering/fair-claims.ts';
export { checkUrl } from './sending/addresses.ts';
export * as FAULTS from './sending/faults.ts';

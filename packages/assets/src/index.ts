import type {} from './tables.ts';

export * from './contents.ts';
export * from './ledger.ts';
export * from './load-ledger.ts';
export * from './locks.ts';
export { isNumberConflict } from './number-conflict.ts';
export * from './numbers.ts';
export * from './order-ids.ts';
export * from './tenant.ts';
export * from './virtual-assets.ts';
export * from './write-ledger.ts';

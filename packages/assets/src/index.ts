export * from './ledger.ts';
export * from './load-ledger.ts';
export * from './write-ledger.ts';

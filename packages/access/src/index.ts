export * from './applications.ts';
export * from './calls.ts';
export * from './expire.ts';
export * from './tokens.ts';

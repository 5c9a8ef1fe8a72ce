import type {} from './tables.ts';

export * from './customers.ts';
export * from './demo.ts';
export * from './enterprises.ts';
export * from './scope.ts';

import type {} from './tables.ts';

export * from './accept.ts';
export * from './announcer.ts';
export * from './backlog.ts';
export * from './batch-watch.ts';
export * from './cancel.ts';
export * from './jobs.ts';
export { createOrderMetrics, type OrderMetrics, registerBacklogGauges } from './metrics.ts';
export * from './preview.ts';
export * from './results.ts';
export * from './retry.ts';
export * from './sync.ts';
export * from './wait.ts';
export * from './work.ts';

export * from './accept.ts';
export * from './announcer.ts';
export * from './backlog.ts';
export * from './batch-watch.ts';
export * from './jobs.ts';
export * from './results.ts';
export * from './wait.ts';
export * from './work.ts';

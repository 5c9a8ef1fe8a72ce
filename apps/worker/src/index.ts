export { type RunningWorker, startWorker, WORKER_LOCK_TIMEOUT_MS, WORKER_SPARE_CONNECTIONS } from './worker.ts';

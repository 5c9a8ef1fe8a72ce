export { type RunningWorker, startWorker, WORKER_SPARE_CONNECTIONS } from './worker.ts';

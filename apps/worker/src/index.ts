export { startWorker, WORKER_SPARE_CONNECTIONS } from './worker.ts';

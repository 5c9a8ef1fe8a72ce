export { type RunningWorker, startWorker } from './worker.ts';

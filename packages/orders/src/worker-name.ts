/** The name with which workers connect to PostgreSQL: by it an operator sees whether any is there. */
export const WORKER_NAME = 'lockstep-worker';

export { type Config, chooseQueueBackend, configOrExit, readConfig, readDeploymentConfig } from './environment.ts';
export { explainListenFault } from './listen-faults.ts';

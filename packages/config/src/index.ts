export {
  type Config,
  chooseQueueBackend,
  configOrExit,
  type DeploymentConfig,
  readConfig,
  readDeploymentConfig,
} from './environment.ts';
export { explainListenFault } from './listen-faults.ts';
export { RELEASE } from './release.ts';
export { SECRET_KEYS } from './secret-keys.ts';

export {
  type Config,
  chooseQueueBackend,
  configOrExit,
  type DeploymentConfig,
  explainListenFault,
  type OidcConfig,
  readConfig,
  readDeploymentConfig,
} from './environment.ts';
export { RELEASE } from './release.ts';
export { SECRET_KEYS } from './secret-keys.ts';

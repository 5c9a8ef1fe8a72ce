export { backUpCluster } from './base-backup.ts';
export { syncDirectory } from './own-files.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './start.ts';
export { unpackCluster } from './unpack-cluster.ts';

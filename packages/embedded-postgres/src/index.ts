export { backUpCluster } from './base-backup.ts';
export { syncDirectory } from './durable-files.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './start.ts';
export { unpackCluster } from './unpack-cluster.ts';

export { backUpCluster, unpackCluster } from './backup.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './start.ts';

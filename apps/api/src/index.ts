export { API_QUERY_TIMEOUT_MS, type ApiOptions, LANES_POOL, startApi } from './api.ts';
export { fillReference } from './api-reference.ts';
export { describeApi } from './description.ts';
export { buildServer } from './server.ts';
export type { ServerOptions } from './server-options.ts';

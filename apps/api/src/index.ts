export { API_QUERY_TIMEOUT_MS, type ApiOptions, LANES_POOL, startApi } from './api.ts';
export { fillReference } from './api-reference.ts';
export { describeApi } from './description.ts';
export { buildServer, type ServerOptions } from './server.ts';

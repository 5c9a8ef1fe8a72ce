export { API_QUERY_TIMEOUT_MS, type ApiOptions, SYNC_CONNECTIONS, SYNC_QUERY_TIMEOUT_MS, startApi } from './api.ts';
export { buildServer, type ServerOptions } from './server.ts';

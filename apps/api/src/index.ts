export { type ApiOptions, startApi } from './api.ts';
export { buildServer, type ServerOptions } from './server.ts';

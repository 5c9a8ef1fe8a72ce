export { startApi } from './api.ts';
export { describeApi } from './description/openapi.ts';
export type { ApiOptions } from './services.ts';

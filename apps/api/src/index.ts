export { startApi } from './api.ts';
export { describeApi } from './description/openapi.ts';
export { addHttpMetrics } from './metrics.ts';
export type { ApiOptions } from './services.ts';

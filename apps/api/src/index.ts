export { type ApiOptions, startApi } from './api.ts';
export { describeApi } from './description/openapi.ts';
export { addHttpMetrics } from './metrics.ts';

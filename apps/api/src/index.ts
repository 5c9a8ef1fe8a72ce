export { type ApiOptions, startApi } from './api.ts';
export { describeApi } from './description/description.ts';
export { renderReference } from './description/reference.ts';
export { addHttpMetrics } from './metrics.ts';

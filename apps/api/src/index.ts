export { type ApiOptions, startApi } from './api.ts';
export { fillConsoleReference, fillReference } from './description/api-reference.ts';
export { describeApi } from './description/description.ts';
export { addHttpMetrics } from './metrics.ts';

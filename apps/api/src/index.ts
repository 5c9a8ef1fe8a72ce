export { type ApiOptions, startApi } from './api.ts';
export { fillReference } from './api-reference.ts';
export { fillConsoleReference } from './console/console-reference.ts';
export { describeApi } from './description.ts';
export { addHttpMetrics } from './metrics.ts';
export { buildServer } from './server.ts';
export type { ServerOptions } from './server-options.ts';

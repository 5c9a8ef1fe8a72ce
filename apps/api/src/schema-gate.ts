import { Refusal } from '@lockstep/contract';
import type { SchemaWatch } from '@lockstep/platform';
import type { Server } from './server.ts';

/**
 * Refuses every operation with service_unavailable while the database's schema is not this release's: what is written
 * then might not be what the release that owns the schema reads. What is hidden from the API description (health,
 * metrics, documentation) is no operation and goes on.
 */
export function requireSchema(server: Server, schema: SchemaWatch): void {
  server.addHook('onRequest', async ({ routeOptions }) => {
    const isOperation = (routeOptions.schema as { hide?: boolean } | undefined)?.hide !== true;
    if (isOperation && !(await schema.isCurrent())) throw new Refusal('service_unavailable');
  });
}

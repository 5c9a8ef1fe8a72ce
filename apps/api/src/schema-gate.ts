import { Refusal } from '@lockstep/contract';
import type { SchemaWatch } from '@lockstep/platform';
import type { FastifyInstance } from 'fastify';

/**
 * Refuses every operation with service_unavailable until all migrations of this release have run. Health, metrics and
 * documentation are no operations and go on.
 */
export function requireSchema(server: FastifyInstance, schema: SchemaWatch): void {
  server.addHook('onRequest', async ({ routeOptions }) => {
    const { operationId, consoleOperationId } = routeOptions.config;
    const isOperation = operationId !== undefined || consoleOperationId !== undefined;
    if (isOperation && !(await schema.isCurrent())) throw new Refusal('service_unavailable');
  });
}

import { Refusal } from '@lockstep/contract';
import type { SchemaWatch } from '@lockstep/platform';
import type { FastifyInstance } from 'fastify';
import type { ServerOptions } from './options.ts';

/** The fault until the service is prepared. */
const STARTING = 'the service is starting';

/**
 * Returns why operations would fail; null if the service is ready. Only the database decides, by its schema and by
 * whether it accepts writes. Without the queue, the API still accepts orders, and the sweep applies them.
 */
export async function findFault({ schema, writes, isPrepared }: ServerOptions): Promise<string | null> {
  const { reason } = await schema.health();
  return reason ?? writes.findFault() ?? (isPrepared() ? null : STARTING);
}

/**
 * Refuses every operation with service_unavailable until all migrations of this release have run. Health, metrics and
 * documentation still work.
 */
export function requireSchema(server: FastifyInstance, schema: SchemaWatch): void {
  server.addHook('onRequest', async ({ routeOptions }) => {
    const { operationId, consoleOperationId } = routeOptions.config;
    const isOperation = operationId !== undefined || consoleOperationId !== undefined;
    if (isOperation && !(await schema.isCurrent())) throw new Refusal('service_unavailable');
  });
}

import type { ServerOptions } from './server-options.ts';

/**
 * Finds why operations cannot be carried out; null when they can. Only the database and its schema decide: without the
 * queue the API accepts orders, and the sweep applies them.
 */
export async function findFault({ schema, isPrepared }: ServerOptions): Promise<string | null> {
  const { reason } = await schema.health();
  return reason ?? (isPrepared() ? null : 'the service is still starting');
}

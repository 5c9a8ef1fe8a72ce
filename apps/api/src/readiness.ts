import type { ServerOptions } from './server-options.ts';

/**
 * Finds why operations cannot be carried out; null when they can. Only the database decides, by its schema and by
 * whether it takes this process's writes: without the queue the API accepts orders, and the sweep applies them.
 */
export async function findFault({ schema, writes, isPrepared }: ServerOptions): Promise<string | null> {
  const { reason } = await schema.health();
  return reason ?? writes.findFault() ?? (isPrepared() ? null : 'the service is still starting');
}

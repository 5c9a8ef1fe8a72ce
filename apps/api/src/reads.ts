import type { LogPosition, ReadRunner } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';
import { deadlineOf, limitToCall } from './deadlines.ts';
import type { ServerOptions } from './server-options.ts';

/**
 * Returns how a call reads what it does not change: from a standby that shows what was answered before the call began, or from
 * the primary. `position` is that of its caller; null for a call that only the primary can answer. What reads must write nothing.
 */
export function readsOf(
  request: FastifyRequest,
  position: LogPosition | null,
  { db, replica }: Pick<ServerOptions, 'db' | 'replica'>,
): ReadRunner {
  const primary = limitToCall(request, db);
  if (replica === null || position === null) return (work) => work(primary);
  const deadline = deadlineOf(request);
  return (work) =>
    replica.read({
      position,
      deadline,
      onStandby: (standby) => standby.read(position, work),
      onPrimary: () => work(primary),
    });
}

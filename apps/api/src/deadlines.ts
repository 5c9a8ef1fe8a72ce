import { type Database, Deadline, within } from '@lockstep/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from './server.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long a call of this route may take, from its head to its answer, the time in which its body comes apart. */
    timeoutMs?: number;
  }
}

/** How long a call takes at most, where its route says nothing else. */
const CALL_TIMEOUT_MS = 10_000;
/** How long calls on the connections that all share wait for each thing that another transaction holds. */
const MAX_LOCK_WAIT_MS = 2_000;

const deadlines = new WeakMap<FastifyRequest, Deadline>();

/** Gives every call one deadline for all that is done for it; what waits for a call leaves when the call has ended. */
export function boundCalls(server: Server): void {
  server.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const deadline = new Deadline(request.routeOptions.config.timeoutMs ?? CALL_TIMEOUT_MS);
    deadlines.set(request, deadline);
    // However it ends: answered, refused, or left by its caller, who may have gone before this.
    reply.raw.once('close', () => deadline.end());
    if (reply.raw.destroyed) deadline.end();
  });
  // A body takes as long as its sender takes.
  server.addHook('preParsing', async (request) => deadlineOf(request).pause());
  server.addHook('preValidation', async (request) => deadlineOf(request).resume());
}

/** When a call must be done. */
export function deadlineOf(request: FastifyRequest): Deadline {
  const deadline = deadlines.get(request);
  if (deadline === undefined) throw new Error(`${request.routeOptions.url} is served without boundCalls`);
  return deadline;
}

/** The database that all calls share, for one call: it ends with the call's deadline, and waits shortly for locks. */
export function databaseOf(request: FastifyRequest, db: Database): Database {
  return within(db, deadlineOf(request), MAX_LOCK_WAIT_MS);
}

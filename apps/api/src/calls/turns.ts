import { type Database, within } from '@lockstep/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../services.ts';

/**
 * Answers with JSON that may be long. `read` creates it when the party's turn comes, and it is in flight until the
 * client has read it.
 *
 * Throws what `read` throws; a Refusal if too much is in flight (overloaded); an Overload if the party gets no turn.
 */
export function answerLong(
  { reads, bodies }: Pick<Services, 'reads' | 'bodies'>,
  party: string,
  request: FastifyRequest,
  reply: FastifyReply,
  read: () => Promise<string>,
): Promise<string> {
  return reads.run(party, request.deadline.signal, async () => {
    const json = await read();
    bodies.hold(request, party, Buffer.byteLength(json));
    reply.type('application/json; charset=utf-8');
    return json;
  });
}

/**
 * Makes a change that may wait for rows that orders are changing, when the party's turn comes. Every wait ends with the
 * call's deadline.
 *
 * Throws what `change` throws; an Overload if the party gets no turn.
 */
export function changeInTurn<Result>(
  { changes, lanesDb }: Pick<Services, 'changes' | 'lanesDb'>,
  party: string,
  { db, deadline }: FastifyRequest,
  change: (db: Database) => Promise<Result>,
): Promise<Result> {
  // A call with an Idempotency-Key has its turn and its transaction already.
  if (db.isTransaction) return change(db);
  return changes.run(party, deadline.signal, () => change(within(lanesDb, deadline)));
}

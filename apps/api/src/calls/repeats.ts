import { answerOnce, isKey, type KeyOwner } from '@lockstep/access';
import { type FailureBody, IDEMPOTENCY_KEY, type OperationId, Refusal, repeatOf } from '@lockstep/contract';
import { within } from '@lockstep/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../services.ts';
import { noteCode } from './calls.ts';
import { recordRefusal } from './refused.ts';

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

declare module 'fastify' {
  interface FastifyInstance {
    /** What calls with an Idempotency-Key need. */
    repeats: Pick<Services, 'keyed' | 'lanesDb'>;
  }
}

/**
 * Returns the handler of an operation that answers a call with an Idempotency-Key only once (rules 1.2): in its party's
 * turn, because it may wait for the first one, and in one transaction, which is then the `db` of the call.
 */
export function repeatable(
  id: OperationId,
  answer: Answer,
  findSender: (request: FastifyRequest) => unknown,
  partyOf: (sender: unknown) => string,
): Answer {
  if (repeatOf(id) !== 'key') return answer;
  return async (request, reply) => {
    const key = request.headers[IDEMPOTENCY_KEY.toLowerCase()];
    if (key === undefined) return await answer(request, reply);
    if (!isKey(key)) throw new Refusal('idempotency_key_malformed');
    const { server, deadline, params, query, body } = request;
    const { keyed, lanesDb } = server.repeats;
    const sender = findSender(request) as KeyOwner;
    const call = JSON.stringify([id, params, { ...(query as object), g_nonce: '' }, body]);
    const answered = await keyed.run(partyOf(sender), deadline.signal, () =>
      answerOnce(within(lanesDb, deadline), { ...sender, key, call }, async (trx) => {
        // A conflict may have undone a refusal.
        reply.code(200);
        const part: FastifyRequest = Object.create(request, { db: { value: trx } });
        const whole = JSON.stringify(await answer(part, reply));
        return { body: whole, isKept: reply.statusCode === 200 };
      }),
    );
    const failure = JSON.parse(answered) as FailureBody | { cause?: undefined };
    if (failure.cause !== undefined) noteCode(request, failure.code, failure.cause);
    if (failure.cause !== undefined && reply.statusCode !== 200) recordRefusal(request, failure);
    reply.type('application/json; charset=utf-8');
    return answered;
  };
}

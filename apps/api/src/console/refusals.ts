import { ConsoleRefusal, consoleCauses } from '@lockstep/contract/console';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noteCode } from '../calls/calls.ts';
import { answerFailure } from '../failures.ts';

/**
 * Has a plugin answer refusals of the console with the HTTP status of their cause, and whatever else as the interface
 * does.
 */
export function answerConsoleRefusals(server: FastifyInstance): void {
  server.setErrorHandler((error: Error, request, reply) =>
    error instanceof ConsoleRefusal ? refuse(error, request, reply) : answerFailure(error, request, reply),
  );
}

function refuse({ reason, message }: ConsoleRefusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status } = consoleCauses[reason];
  noteCode(request, String(status), reason);
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send({ code: String(status), message, cause: reason });
}

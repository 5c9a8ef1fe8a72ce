import cookie from '@fastify/cookie';
import { ConsoleRefusal, consoleCauses } from '@lockstep/contract/console';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noteCode } from '../../calls/calls.ts';
import { checksAllButBody } from '../../calls/operation-routes.ts';
import { answerFailure } from '../../failures.ts';
import type { Services } from '../../services.ts';
import { type AllConsoleHandlers, addConsoleOperations } from '../operations.ts';
import { authorizeOperators, bodyOwnerOf } from '../who-acts.ts';
import { applicationsHandlers } from './applications.ts';
import { assetsHandlers } from './assets.ts';
import { batchesHandlers } from './batches.ts';
import { channelsHandlers } from './channels.ts';
import { enterprisesHandlers } from './enterprises.ts';
import { operatorsHandlers } from './operators.ts';
import { ordersHandlers } from './orders.ts';
import { overviewHandlers } from './overview.ts';
import { previewHandlers } from './preview.ts';
import { resendHandlers } from './resends.ts';
import { searchHandlers } from './search.ts';
import { sessionHandlers } from './session.ts';
import { webhooksHandlers } from './webhooks.ts';

/** Registers the operations of the console. Every route needs an operator with the role of its operation (rules 9). */
export async function consoleModule(server: FastifyInstance, options: Services): Promise<void> {
  server.setErrorHandler((error: Error, request, reply) =>
    error instanceof ConsoleRefusal ? refuse(error, request, reply) : answerFailure(error, request, reply),
  );
  await server.register(cookie);
  authorizeOperators(server, options);
  options.bodies.readJson(server, bodyOwnerOf);
  const ofBatches = previewHandlers(options);
  const handlers: Omit<AllConsoleHandlers, keyof typeof ofBatches> = {
    ...sessionHandlers(options),
    ...overviewHandlers(options),
    ...batchesHandlers(options),
    ...resendHandlers(options),
    ...searchHandlers,
    ...ordersHandlers(options),
    ...assetsHandlers(options),
    ...enterprisesHandlers(options),
    ...applicationsHandlers,
    ...channelsHandlers(options),
    ...webhooksHandlers,
    ...operatorsHandlers(options),
  };
  addConsoleOperations(server, handlers);
  await server.register(async (scope) => {
    options.bodies.readBytes(scope, bodyOwnerOf);
    scope.setValidatorCompiler(checksAllButBody);
    addConsoleOperations(scope, ofBatches);
  });
}

/** Answers a refusal of the console with the HTTP status of its cause. */
function refuse({ reason, message, args }: ConsoleRefusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status } = consoleCauses[reason];
  noteCode(request, String(status), reason);
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send({ code: String(status), message, cause: reason, args });
}

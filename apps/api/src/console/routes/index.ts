import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { BatchReader } from '../../bodies/batch-reader.ts';
import type { Bodies } from '../../bodies/bodies.ts';
import { checksAllButBody } from '../../calls/operation-routes.ts';
import type { ServerOptions } from '../../options.ts';
import type { AllConsoleHandlers } from '../operations.ts';
import { addConsoleOperations } from '../operations.ts';
import { answerConsoleRefusals } from '../refusals.ts';
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

/** The console's operations: every route in here is for an operator with the role that it needs (rules 9). */
export async function consoleModule(
  server: FastifyInstance,
  { bodies, ...options }: ServerOptions & { bodies: Bodies; batches: BatchReader },
): Promise<void> {
  answerConsoleRefusals(server);
  await server.register(cookie);
  authorizeOperators(server, options);
  bodies.readJson(server, bodyOwnerOf);
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
    bodies.readBytes(scope, bodyOwnerOf);
    scope.setValidatorCompiler(checksAllButBody);
    addConsoleOperations(scope, ofBatches);
  });
}

import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { BatchReader } from '../batch-reader.ts';
import type { Bodies } from '../bodies.ts';
import type { ServerOptions } from '../server-options.ts';
import { checksAllButBody } from '../validation.ts';
import { addConsoleOperations } from './console-operations.ts';
import type { AllConsoleHandlers } from './handlers.ts';
import { answerConsoleRefusals } from './refusals.ts';
import { applicationsHandlers } from './routes/applications.ts';
import { assetsHandlers } from './routes/assets.ts';
import { batchesHandlers } from './routes/batches.ts';
import { channelsHandlers } from './routes/channels.ts';
import { enterprisesHandlers } from './routes/enterprises.ts';
import { operatorsHandlers } from './routes/operators.ts';
import { ordersHandlers } from './routes/orders.ts';
import { overviewHandlers } from './routes/overview.ts';
import { previewHandlers } from './routes/preview.ts';
import { resendHandlers } from './routes/resends.ts';
import { searchHandlers } from './routes/search.ts';
import { sessionHandlers } from './routes/session.ts';
import { webhooksHandlers } from './routes/webhooks.ts';
import { authorizeOperators, bodyOwnerOf } from './who-acts.ts';

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

import type { MemberOperationId } from '@lockstep/contract';
import type { Actor } from '@lockstep/members';
import type { FastifyInstance } from 'fastify';
import type { Bodies } from './bodies.ts';
import { actorOf, authorizeAdministrators } from './caller.ts';
import { addOperations } from './operation-routes.ts';
import { additionHandlers } from './routes/additions.ts';
import { employeeHandlers } from './routes/employees.ts';
import { holdingHandlers } from './routes/holdings.ts';
import type { ServerOptions } from './server-options.ts';
import { checksAllButBody } from './validation.ts';

/** The member center: every route in here is for an administrator of an enterprise, and for nobody else. */
export async function memberModule(
  server: FastifyInstance,
  { bodies, ...options }: ServerOptions & { bodies: Bodies },
): Promise<void> {
  authorizeAdministrators(server, options.verifier);
  bodies.readJson(server, (request) => actorOf(request).applicationId);
  await server.register(async (additions) => {
    // One employee's faults are not the call's: the handler reads the body.
    additions.setValidatorCompiler(checksAllButBody);
    addOperations<'addEmployees', Actor>(additions, additionHandlers(options), actorOf);
  });
  addOperations<Exclude<MemberOperationId, 'addEmployees'>, Actor>(
    server,
    { ...employeeHandlers(options), ...holdingHandlers(options) },
    actorOf,
  );
}

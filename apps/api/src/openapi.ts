import swagger from '@fastify/swagger';
import {
  AllAddedEmployees,
  DoneBody,
  DoneWithNullBody,
  FailedEmployees,
  FailureBody,
  Nonce,
  PartlyAddedEmployees,
  successBody,
} from '@lockstep/contract';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { withAnswers } from './openapi-answers.ts';
import { tidyComponents } from './openapi-components.ts';
import { withExamples } from './openapi-examples.ts';
import { guardReferences } from './openapi-schemas.ts';
import type { Server } from './server.ts';

/** The query that every operation takes. */
export const nonceQuery = z.object({ g_nonce: Nonce });

const REFUSED = 'Refused, or a fault: see the code, because HTTP clients take this status for a success.';
const refused = FailureBody.describe(REFUSED);

/** The answers of an operation: 200 with its data, 299 with the reason of a refusal. */
export function answers<Data extends z.ZodType>(data: Data) {
  return { 200: successBody(data).describe('It was carried out.'), 299: refused };
}

/** The answers of M1, which says of each employee what became of it, whether or not another one failed. */
export const additionAnswers = {
  200: z.union([AllAddedEmployees, PartlyAddedEmployees]).describe('All were added, or some: then the code is 60027.'),
  299: FailedEmployees.describe(`${REFUSED} With data: nobody could be added.`),
};

/** The answers of an operation that has nothing to say; in the member center it says so with data that is null. */
export const doneAnswers = { 200: DoneBody.describe('It was carried out.'), 299: refused };
export const doneWithNullAnswers = { 200: DoneWithNullBody.describe('It was carried out.'), 299: refused };

/** Describes the operations by the same schemas that check the calls, at the address at which clients find them. */
export async function describeOperations(server: Server, publicUrl: string | null): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Lockstep',
        version: '1',
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
        description:
          'Licensing orders and member center. Every call takes a new g_nonce; the code in the body decides the result.',
      },
      // Without an address of its own it is where this description is.
      servers: [{ url: publicUrl ?? '/' }],
      tags: [
        { name: 'Tokens', description: 'Access tokens of applications and of users, good for two hours.' },
        { name: 'Order module', description: 'For an application with the scope auth_order.' },
        {
          name: 'Member center',
          description:
            'For an application with the scope auth_me, on behalf of an administrator of an enterprise: three tokens on ' +
            'every call, and nothing of another enterprise.',
        },
      ],
      components: {
        securitySchemes: {
          client: { type: 'http', scheme: 'basic', description: 'appKey and appSecret; or both in the form.' },
          application: {
            type: 'http',
            scheme: 'bearer',
            description: 'An access token of the application: grant type client_credentials.',
          },
          clientToken: {
            type: 'apiKey',
            in: 'header',
            name: 'clientToken',
            description: 'An access token of the same application, with the scope auth_me; the bearer token will do.',
          },
          userToken: {
            type: 'apiKey',
            in: 'header',
            name: 'userToken',
            description:
              'The access token of an administrator: grant type password, asked for by the same application.',
          },
        },
      },
    },
    transform: (route) => {
      const { schema, url } = jsonSchemaTransform(route);
      const { querystring, body, params, response } = schema as Record<string, unknown>;
      return { schema: { ...schema, ...guardReferences({ querystring, body, params, response }) }, url };
    },
    transformObject: (document) => withExamples(withAnswers(tidyComponents(jsonSchemaTransformObject(document)))),
  });
}

/** How an order module operation is described besides its schemas. */
export const orderOperation = { tags: ['Order module'], security: [{ application: [] }] };

/** The same of a member center operation, which takes three tokens (decisions 2). */
export const memberOperation = {
  tags: ['Member center'],
  security: [{ application: [], clientToken: [], userToken: [] }],
};

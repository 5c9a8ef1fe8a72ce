import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { TAGS } from '../calls/operation-routes.ts';
import { withAnswers } from './openapi-answers.ts';
import { tidyComponents } from './openapi-components.ts';
import { withExamples } from './openapi-examples.ts';
import { guardReferences } from './openapi-schemas.ts';

/**
 * Publishes the description of the operations, from the schemas that check calls. `publicUrl` is the address of the
 * service.
 */
export async function describeOperations(server: FastifyInstance, publicUrl: string | null): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Lockstep',
        version: '1',
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
        description:
          'License orders and member center. Every call needs a new g_nonce. A call succeeded if the code in the body is the number 0.',
      },
      // Without a public address, the origin of the description itself.
      servers: [{ url: publicUrl ?? '/' }],
      tags: [
        { name: TAGS.open, description: 'Access tokens of applications and of users, valid for two hours.' },
        { name: TAGS.order, description: 'For applications with the scope auth_order.' },
        {
          name: TAGS.member,
          description:
            'For applications with the scope auth_me, on behalf of an administrator. Every call carries tokens in three ' +
            'headers and sees only the enterprise of the administrator.',
        },
      ],
      components: {
        securitySchemes: {
          client: { type: 'http', scheme: 'basic', description: 'appKey and appSecret, here or in the form.' },
          application: {
            type: 'http',
            scheme: 'bearer',
            description: 'An access token of the application, from the grant type client_credentials.',
          },
          clientToken: {
            type: 'apiKey',
            in: 'header',
            name: 'clientToken',
            description:
              'An access token of the same application, with the scope auth_me. It can equal the bearer token.',
          },
          userToken: {
            type: 'apiKey',
            in: 'header',
            name: 'userToken',
            description: 'The access token of an administrator, from the grant type password of the same application.',
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

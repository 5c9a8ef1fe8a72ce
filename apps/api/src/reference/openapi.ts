import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { TAGS } from '../calls/operation-routes.ts';
import { withAnswers } from './openapi-answers.ts';
import { tidyComponents } from './openapi-components.ts';
import { withExamples } from './openapi-examples.ts';
import { guardReferences } from './openapi-schemas.ts';

/** Describes the operations by the schemas that check calls, at the address where clients find the service. */
export async function describeOperations(server: FastifyInstance, publicUrl: string | null): Promise<void> {
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
      // Without a public address: where the description itself is.
      servers: [{ url: publicUrl ?? '/' }],
      tags: [
        { name: TAGS.open, description: 'Access tokens of applications and of users, good for two hours.' },
        { name: TAGS.order, description: 'For an application with the scope auth_order.' },
        {
          name: TAGS.member,
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

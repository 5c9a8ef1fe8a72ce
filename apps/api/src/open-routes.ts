import type { FastifyInstance } from 'fastify';
import type { Bodies } from './bodies.ts';
import { publishDocs } from './docs.ts';
import { frontDoor } from './front-door/front-door.ts';
import { healthRoutes } from './routes/health.ts';
import { tokenRoutes } from './routes/token.ts';
import { tokenMetadataRoutes } from './routes/token-metadata.ts';
import type { ServerOptions } from './server-options.ts';

/**
 * What anybody may call: the front door, the documentation, health, metrics, and the token endpoint, which looks at
 * credentials itself.
 */
export async function openRoutes(server: FastifyInstance, options: ServerOptions & { bodies: Bodies }): Promise<void> {
  await publishDocs(server, options);
  await server.register(frontDoor, options);
  await server.register(healthRoutes, options);
  await server.register(tokenRoutes, options);
  await server.register(tokenMetadataRoutes, options);
}

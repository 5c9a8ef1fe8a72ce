import { findOperation, GRANT_TYPES, Refusal, Scope } from '@lockstep/contract';
import type { FastifyInstance } from 'fastify';
import type { ServerOptions } from '../options.ts';

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

/**
 * Publishes what OAuth clients look up about the token endpoint (RFC 8414; rules 9). The issuer is PUBLIC_URL, or else
 * the address that this process listens on. It is never the caller's Host header, which may contain anything. If
 * PUBLIC_URL has a path, clients append it to the well-known path (RFC 8414 section 3.1), so that works too.
 */
export async function tokenMetadataRoutes(server: FastifyInstance, { publicUrl }: ServerOptions): Promise<void> {
  const hidden = { schema: { hide: true } };
  const answer = () => buildMetadata(publicUrl ?? server.listeningOrigin);
  server.get(WELL_KNOWN, hidden, async () => answer());

  const publicPath = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  if (publicPath === '') return;
  server.get(`${WELL_KNOWN}/*`, hidden, async ({ url }) => {
    if (url.split('?', 1)[0] !== WELL_KNOWN + publicPath) throw new Refusal('operation_not_found');
    return answer();
  });
}

function buildMetadata(issuer: string) {
  return {
    issuer,
    token_endpoint: `${issuer}${findOperation('issueToken').path}`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: GRANT_TYPES,
    scopes_supported: Scope.options,
    // RFC 8414 requires the field. There is no authorization endpoint, so it is empty.
    response_types_supported: [],
    service_documentation: `${issuer}/docs`,
  };
}

import { findOperation, GRANT_TYPES, Refusal, Scope } from '@lockstep/contract';
import type { FastifyInstance } from 'fastify';
import type { ServerOptions } from '../server-options.ts';

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

/**
 * What OAuth clients look up about the token endpoint (RFC 8414; decisions 9). The issuer is PUBLIC_URL, or without it the
 * address that this process listens on: never a caller's Host header, which would be whatever the caller wrote. Where
 * PUBLIC_URL has a path, clients put that behind the well-known one (RFC 8414 section 3.1), which is served as well.
 */
export async function tokenMetadataRoutes(server: FastifyInstance, { publicUrl }: ServerOptions): Promise<void> {
  const hidden = { schema: { hide: true } };
  const answer = () => metadataOf(publicUrl ?? server.listeningOrigin);
  server.get(WELL_KNOWN, hidden, async () => answer());

  const publicPath = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  if (publicPath === '') return;
  server.get(`${WELL_KNOWN}/*`, hidden, async ({ url }) => {
    if (url.split('?', 1)[0] !== WELL_KNOWN + publicPath) throw new Refusal('operation_not_found');
    return answer();
  });
}

function metadataOf(issuer: string) {
  return {
    issuer,
    token_endpoint: `${issuer}${findOperation('issueToken').path}`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: GRANT_TYPES,
    scopes_supported: Scope.options,
    // Required by RFC 8414; there is no authorization endpoint, so there are none.
    response_types_supported: [],
    service_documentation: `${issuer}/docs`,
  };
}

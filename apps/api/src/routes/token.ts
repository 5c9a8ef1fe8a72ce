import { type ClientCredentials, issueClientToken, issueUserToken, OAuthRefusal } from '@lockstep/access';
import {
  type Cause,
  findOperation,
  GRANT_TYPES,
  MAX_FORM_BYTES,
  Refusal,
  Scope,
  type TokenAnswer,
  type TokenRequest,
} from '@lockstep/contract';
import { isOverload } from '@lockstep/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ClientLeft } from '../calls/bodies.ts';
import { noteCode, noteSubject } from '../calls/calls.ts';
import { addOperations, type Handlers } from '../calls/operation-routes.ts';
import { noteOverload } from '../failures.ts';
import type { Services } from '../services.ts';

/**
 * Registers the token endpoint (RFC 6749; rules 2). Its bodies are forms, and its errors those of RFC 6749 instead of
 * the envelope.
 */
export async function tokenRoutes(server: FastifyInstance, { passwords, bodies }: Services): Promise<void> {
  bodies.readForms(server);
  server.setErrorHandler(answerOAuthError);
  server.setValidatorCompiler<z.ZodType>(({ schema }) => (data) => {
    const result = schema.safeParse(data);
    return result.success
      ? { value: result.data }
      : {
          error: new OAuthRefusal('invalid_request', 'grant_type is missing, or a parameter is repeated or malformed.'),
        };
  });
  const issueToken: Handlers<'issueToken', undefined>['issueToken'] = async (request, _, reply) => {
    const token = await issue(request, request.body);
    // The client is authenticated only now.
    const { clientId } = readClient(request.headers.authorization, request.body);
    noteSubject(request, { appKey: clientId });
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
    return token;
  };
  addOperations<'issueToken', undefined>(server, { issueToken }, () => undefined);

  function issue(request: FastifyRequest, body: TokenRequest): Promise<TokenAnswer> {
    const { authorization } = request.headers;
    const { grant_type: grantType, username: account, password, scope } = body;
    switch (grantType) {
      case 'client_credentials':
        return issueClientToken(request.db, readClient(authorization, body), scope);
      case 'password': {
        const client = readClient(authorization, body);
        if (account === undefined || password === undefined) {
          throw new OAuthRefusal('invalid_request', 'The grant type password needs username and password.');
        }
        const tools = { db: request.db, passwords, signal: request.deadline.signal };
        return issueUserToken(tools, client, { account, password }, scope);
      }
      default:
        throw new OAuthRefusal('unsupported_grant_type', 'grant_type must be client_credentials or password.');
    }
  }
}

/** Reads the client's credentials from HTTP Basic or from the body; refuses both together (RFC 6749 section 2.3.1). */
function readClient(authorization: string | undefined, body: TokenRequest): ClientCredentials {
  const inBody = { clientId: body.client_id, clientSecret: body.client_secret };
  if (authorization === undefined) {
    const { clientId, clientSecret } = inBody;
    if (clientId === undefined || clientSecret === undefined) {
      throw new OAuthRefusal('invalid_client', 'client_id or client_secret is missing. Send both.');
    }
    return { clientId, clientSecret };
  }
  if (inBody.clientSecret !== undefined) {
    throw new OAuthRefusal('invalid_request', 'Send the client credentials by HTTP Basic or in the body, not both.');
  }
  const encoded = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization)?.[1];
  const [id, ...secret] = Buffer.from(encoded ?? '', 'base64')
    .toString('utf8')
    .split(':');
  if (id === undefined || id === '' || secret.length === 0) {
    throw new OAuthRefusal('invalid_client', 'The Authorization header must be HTTP Basic with client id and secret.');
  }
  return { clientId: formDecode(id), clientSecret: formDecode(secret.join(':')) };
}

/** Decodes one part of Basic credentials, which RFC 6749 form-encodes. Leaves a stray % as it is. */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** The causes for which reading a body can be refused. */
const OF_BODY: readonly Cause[] = [
  'content_type_unsupported',
  'body_too_large',
  'request_timeout',
  'http_malformed',
  'headers_too_large',
];

function answerOAuthError(error: Error & { statusCode?: number }, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('cache-control', 'no-store');
  if (error instanceof OAuthRefusal) {
    const isClient = error.word === 'invalid_client';
    if (isClient) reply.header('www-authenticate', 'Basic realm="lockstep"');
    const status = isClient ? 401 : 400;
    noteCode(request, String(status), error.word);
    reply.code(status).send({ error: error.word, error_description: error.message });
    return;
  }
  const isOfBody = error instanceof Refusal && OF_BODY.includes(error.reason);
  if (isOfBody || (error.statusCode !== undefined && error.statusCode < 500)) {
    reply.code(400).send({
      error: 'invalid_request',
      error_description: `The body must be a URL-encoded form of at most ${MAX_FORM_BYTES / 1024} KiB.`,
    });
    return;
  }
  if (isOverload(error)) noteOverload(error, request);
  else if (!(error instanceof Refusal || error instanceof ClientLeft)) {
    request.log.error({ err: error }, 'token call failed');
  }
  if (reply.raw.destroyed) noteCode(request, '499');
  else noteCode(request, '500', 'service_unavailable');
  reply
    .code(503)
    .header('retry-after', '1')
    .send({ error: 'temporarily_unavailable', error_description: 'The service is unavailable. Retry later.' });
}

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

/**
 * Publishes the metadata of the token endpoint for OAuth clients (RFC 8414; rules 9). The issuer is PUBLIC_URL, or else
 * the address that this process listens on; never the Host header, which can contain anything. If PUBLIC_URL has a
 * path, clients append it to the well-known path (RFC 8414 section 3.1), so that works too.
 */
export async function tokenMetadataRoutes(server: FastifyInstance, { publicUrl }: Services): Promise<void> {
  const answer = () => buildMetadata(publicUrl ?? server.listeningOrigin);
  server.get(WELL_KNOWN, async () => answer());

  const publicPath = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  if (publicPath === '') return;
  server.get(`${WELL_KNOWN}/*`, async ({ url }) => {
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
    // RFC 8414 requires the field. It is empty because there is no authorization endpoint.
    response_types_supported: [],
    service_documentation: `${issuer}/docs`,
  };
}

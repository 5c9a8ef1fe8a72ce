import { ACCESS_TOKEN_SECONDS, OAuthErrorAnswer, TokenAnswer, TokenRequest } from '../access.ts';
import { routes } from '../routes.ts';
import { MAX_FORM_BYTES } from '../words.ts';
import { memberOperations } from './member.ts';
import { type CallOf, FORM_TYPE, formatCount, type Operation, type Part, type Read, type Sent } from './operation.ts';
import { orderOperations } from './order.ts';
import { traceOperations } from './traces.ts';
import { webhookOperations } from './webhooks.ts';

/** The token endpoint, which belongs to neither module (RFC 6749; rules 2). */
const openOperations = {
  issueToken: {
    ...routes.issueToken,
    module: 'open',
    body: TokenRequest,
    mediaType: FORM_TYPE,
    maxBodyBytes: MAX_FORM_BYTES,
    answers: {
      200: TokenAnswer.describe('The token.'),
      400: OAuthErrorAnswer.describe(
        'The request, account name or password is wrong, or the application may not request such a token.',
      ),
      401: OAuthErrorAnswer.describe('The application is unknown, or its secret is wrong: invalid_client.'),
      503: OAuthErrorAnswer.describe('The service is unavailable or overloaded: temporarily_unavailable. Retry.'),
    },
    summary: 'Issue an access token',
    description:
      'Issues an access token as RFC 6749 specifies: with the grant type `client_credentials` for the ' +
      'application, with `password` for an employee. The application authenticates with its appKey and ' +
      'appSecret, by HTTP Basic or as `client_id` and `client_secret`. A token is valid for ' +
      `${formatCount(ACCESS_TOKEN_SECONDS)} seconds.`,
  },
} satisfies Record<string, Operation>;

/** All operations of the service, by operationId. */
export const operations = {
  ...openOperations,
  ...orderOperations,
  ...traceOperations,
  ...webhookOperations,
  ...memberOperations,
};

type Operations = typeof operations;
export type OperationId = keyof Operations;
export type OrderOperationId =
  | keyof typeof orderOperations
  | keyof typeof traceOperations
  | keyof typeof webhookOperations;
export type MemberOperationId = keyof typeof memberOperations;

/** The parsed request of an operation. */
export type OperationRequest<Id extends OperationId> = CallOf<Operations[Id]>;

/** The bodies of the answers of an operation, by HTTP status. */
export type OperationAnswers<Id extends OperationId> = {
  [Status in keyof Operations[Id]['answers']]: Read<Operations[Id]['answers'][Status]>;
};

/** The request body of an operation, as clients send it. */
export type SentBody<Id extends OperationId> = Sent<Part<Operations[Id], 'body'>>;

/** Returns an operation with the general type. */
export function findOperation(id: OperationId): Operation {
  return operations[id];
}

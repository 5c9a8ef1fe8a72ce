import { ACCESS_TOKEN_SECONDS, OAuthErrorAnswer, TokenAnswer, TokenRequest } from '../access.ts';
import { MAX_FORM_BYTES } from '../body-limits.ts';
import { routes } from '../routes.ts';
import { FORM_TYPE, formatCount, type Operation } from './operation.ts';

/** What is outside of both modules: the token endpoint (RFC 6749; rules 2). */
export const openOperations = {
  issueToken: {
    ...routes.issueToken,
    module: 'open',
    body: TokenRequest,
    mediaType: FORM_TYPE,
    maxBodyBytes: MAX_FORM_BYTES,
    answers: {
      200: TokenAnswer.describe('The token.'),
      400: OAuthErrorAnswer.describe(
        'The request, the account or the password is wrong, or the application may not have such a token.',
      ),
      401: OAuthErrorAnswer.describe('The client is unknown, or its secret is wrong: invalid_client.'),
      503: OAuthErrorAnswer.describe('A fault, or overload: temporarily_unavailable. Send it again.'),
    },
    summary: 'Issue an access token',
    description:
      'Issues an access token as RFC 6749 says. With `grant_type` `client_credentials` it is the ' +
      "application's own; with `password` it is that of a user of the member center, whose full " +
      'account name is `username`. The client authenticates with its key and secret, by HTTP Basic or ' +
      `as \`client_id\` and \`client_secret\` in the form. A token is good for ${formatCount(ACCESS_TOKEN_SECONDS)} seconds.`,
  },
} satisfies Record<string, Operation>;

import { ADMIN, ENTERPRISE_CODE } from './demo.ts';
import type { ExamplesOf } from './operation.ts';

/** The token endpoint: its errors are those of RFC 6749. */
export const issueToken: ExamplesOf<'issueToken'> = {
  bodies: {
    client_credentials: {
      summary: 'The credentials in the form',
      value: {
        grant_type: 'client_credentials',
        client_id: 'your-appKey',
        client_secret: 'your-appSecret',
        scope: 'auth_order auth_me',
      },
    },
    password: {
      summary: 'The userToken of an administrator, for the member center',
      value: {
        grant_type: 'password',
        client_id: 'your-appKey',
        client_secret: 'your-appSecret',
        username: `${ADMIN.userName}@${ENTERPRISE_CODE}`,
        password: 'your-adminPassword',
        scope: 'auth_me',
      },
    },
  },
  answers: {
    200: {
      client_credentials: {
        summary: 'A token for two hours',
        value: {
          access_token: 'S7Jx0c5yT1uJqkW3nVdP9mZ2hR8fLbA4eGoKiYwXs6Q',
          token_type: 'Bearer',
          expires_in: 7200,
          scope: 'auth_order auth_me',
        },
      },
      password: {
        summary: 'A token of the user, for two hours',
        value: {
          access_token: 'fT3uYc8wQe1Zr5vKj7Hn0Lp2Xs9MgBdA6RiOoUqWtE4',
          token_type: 'Bearer',
          expires_in: 7200,
          scope: 'auth_me',
        },
      },
    },
    400: {
      invalid_grant: {
        summary: 'Wrong account or password, or a locked account',
        value: {
          error: 'invalid_grant',
          error_description:
            'The account (name@code) or the password is wrong, or the account is locked for some minutes.',
        },
      },
      invalid_scope: {
        summary: 'Not a scope of the application',
        value: {
          error: 'invalid_scope',
          error_description: 'The application does not have a scope that was asked for.',
        },
      },
    },
    401: {
      invalid_client: {
        summary: 'Wrong credentials',
        value: { error: 'invalid_client', error_description: 'The client id or the client secret is wrong.' },
      },
    },
    503: {
      temporarily_unavailable: {
        summary: 'A fault',
        value: {
          error: 'temporarily_unavailable',
          error_description: 'The service cannot answer right now; retry.',
        },
      },
    },
  },
};

import type { ExamplesOf } from './operation.ts';

/** The token endpoint: its errors are those of RFC 6749. */
export const issueToken: ExamplesOf<'issueToken'> = {
  bodies: {
    client_credentials: {
      summary: 'Credentials in the form',
      value: {
        grant_type: 'client_credentials',
        client_id: 'your-appKey',
        client_secret: 'your-appSecret',
        scope: 'auth_order auth_me',
      },
    },
    password: {
      summary: 'The userToken of an administrator',
      value: {
        grant_type: 'password',
        client_id: 'your-appKey',
        client_secret: 'your-appSecret',
        username: 'admin@demoworks',
        password: 'your-adminPassword',
        scope: 'auth_me',
      },
    },
  },
  answers: {
    200: { client_credentials: 'A token for two hours', password: 'A token of the user, for two hours' },
    400: {
      invalid_grant: 'Wrong account or password, or a locked account',
      invalid_scope: 'Not a scope of the application',
    },
    401: { invalid_client: 'Wrong appKey or appSecret' },
    503: { temporarily_unavailable: 'Retry later' },
  },
};

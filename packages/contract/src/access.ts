import { z } from 'zod';
import { text } from './scalars.ts';

export const scope = z.enum(['auth_order', 'auth_me']);
export type Scope = z.infer<typeof scope>;

/** What an application is called by those who operate the service. */
export const applicationName = text();

/** How long the secret before stays good when an application gets a new one, in hours (decisions 2). */
export const MAX_OVERLAP_HOURS = 720;
export const DEFAULT_OVERLAP_HOURS = 24;

export const ACCESS_TOKEN_SECONDS = 7_200;

/** How tokens are had (RFC 6749). */
export const GRANT_TYPES = ['client_credentials', 'password'];

/** A parameter without a value counts as omitted (RFC 6749 section 3.2). */
function parameter() {
  return z
    .string()
    .optional()
    .transform((value) => value || undefined);
}

/** The form body of the token endpoint (RFC 6749 sections 4.3 and 4.4; decisions 2). */
export const tokenBody = z
  .object({
    grant_type: z.string().min(1).meta({
      enum: GRANT_TYPES,
      description: 'password: for a user of the member center, by the same application.',
    }),
    client_id: parameter().describe('The appKey, where HTTP Basic does not carry it.'),
    client_secret: parameter().meta({ format: 'password', description: 'The appSecret, as client_id.' }),
    username: parameter()
      .transform((account) => account?.trim())
      .describe('With the grant type password: the full account name, name@code.'),
    password: parameter().meta({ format: 'password', description: 'With the grant type password.' }),
    scope: parameter().describe('Space-separated; the application’s scopes where it is absent.'),
  })
  .meta({ id: 'TokenRequest' });

/** RFC 6749 section 5.1. */
export const tokenAnswer = z
  .object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.number(), scope: z.string() })
  .meta({ id: 'Token' });
export type TokenAnswer = z.infer<typeof tokenAnswer>;

/** RFC 6749 section 5.2. */
export const oauthErrorWord = z.enum([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'temporarily_unavailable',
]);
export type OAuthErrorWord = z.infer<typeof oauthErrorWord>;

export const oauthErrorAnswer = z
  .object({ error: oauthErrorWord, error_description: z.string() })
  .meta({ id: 'OAuthError' });

const NONCE = /^[A-Za-z0-9_-]{8,64}$/;

/** g_nonce: 8 to 64 characters of A-Z a-z 0-9 _ - (decisions 3). */
export const nonce = z.string().regex(NONCE).describe('Anti-replay random string: 8 to 64 of A-Z a-z 0-9 _ -');

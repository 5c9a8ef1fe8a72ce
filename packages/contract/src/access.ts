import { z } from 'zod';
import { Refusal } from './causes.ts';
import { integer, text } from './scalars.ts';
import { SCOPES } from './words.ts';

export const Scope = z.enum(SCOPES);
export type Scope = z.infer<typeof Scope>;

/** The name that the operator gives an application. */
export const ApplicationName = text();

export const ACCESS_TOKEN_SECONDS = 7_200;

/** The ways to get a token (RFC 6749). */
export const GRANT_TYPES = ['client_credentials', 'password'];

/** A parameter without a value counts as omitted (RFC 6749 section 3.2). */
function parameter() {
  return z
    .string()
    .optional()
    .transform((value) => value || undefined);
}

/** The form body of the token endpoint (RFC 6749 sections 4.3 and 4.4; rules 2). */
export const TokenRequest = z
  .object({
    grant_type: z.string().min(1).meta({
      enum: GRANT_TYPES,
      description:
        'client_credentials: a token of the application. password: a token of a user of the member center, asked for by the same application.',
    }),
    client_id: parameter().describe('The appKey, where HTTP Basic does not carry it.'),
    client_secret: parameter().meta({
      format: 'password',
      description: 'The appSecret, where HTTP Basic does not carry it.',
    }),
    username: parameter()
      .transform((account) => account?.trim())
      .describe('With the grant type password: the full account name, name@code.'),
    password: parameter().meta({ format: 'password', description: 'With the grant type password: that of the user.' }),
    scope: parameter().describe(
      'auth_order, auth_me or both with a blank between them; all scopes of the application where it is absent.',
    ),
  })
  .meta({ id: 'TokenRequest', description: 'What is asked for, as an HTML form.' });
export type TokenRequest = z.infer<typeof TokenRequest>;

/** RFC 6749 section 5.1. */
export const TokenAnswer = z
  .object({
    access_token: z.string().describe('The token. Keep it until it expires, in each process one.'),
    token_type: z.literal('Bearer').describe('How it is sent: Authorization: Bearer.'),
    expires_in: integer().describe('Seconds for which it is good.'),
    scope: z.string().describe('What it is good for: scopes with blanks between them.'),
  })
  .meta({ id: 'Token', description: 'An access token of an application or of a user.' });
export type TokenAnswer = z.infer<typeof TokenAnswer>;

/** RFC 6749 section 5.2. */
export const OAuthErrorWord = z
  .enum([
    'invalid_request',
    'invalid_client',
    'invalid_grant',
    'unauthorized_client',
    'unsupported_grant_type',
    'invalid_scope',
    'temporarily_unavailable',
  ])
  .meta({ id: 'OAuthErrorWord', description: 'What was wrong, in the words of RFC 6749.' });
export type OAuthErrorWord = z.infer<typeof OAuthErrorWord>;

export const OAuthErrorAnswer = z
  .object({
    error: OAuthErrorWord.describe('For programs: what was wrong.'),
    error_description: z.string().describe('For people: what was wrong. It may change.'),
  })
  .meta({ id: 'OAuthError', description: 'No token was issued.' });
export type OAuthErrorAnswer = z.infer<typeof OAuthErrorAnswer>;

const NONCE = /^[A-Za-z0-9_-]{8,64}$/;

/** g_nonce: 8 to 64 characters of A-Z a-z 0-9 _ - (rules 3). */
export const Nonce = z
  .string()
  .regex(NONCE)
  .describe('A random text that is good once in ten minutes: 8 to 64 characters of A-Z a-z 0-9 _ -, such as a UUID.');

/** A channel's code: 1 to 255 characters, trimmed (rules 4). */
export const ChannelCode = text();

/** The channels that an application is bound to. Null: it is bound to none and may use all (rules 2). */
export type Channels = readonly string[] | null;

/**
 * Refuses a channel that an application is not bound to. `path` is the field that names the channel.
 *
 * Throws a Refusal: channel_not_allowed.
 */
export function requireChannel(channels: Channels, code: string, path = 'channelCode'): void {
  if (channels !== null && !channels.includes(code)) throw new Refusal('channel_not_allowed', path, code);
}

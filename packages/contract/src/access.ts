import { z } from 'zod';
import { Refusal } from './causes.ts';
import { named } from './containers.ts';
import type { ApplicationId } from './scalars.ts';
import { integer, text } from './scalars.ts';
import { SCOPES } from './words.ts';

export const Scope = z.enum(SCOPES);
export type Scope = z.infer<typeof Scope>;

/** The name of an application. */
export const ApplicationName = text();

export const ACCESS_TOKEN_SECONDS = 7_200;

/** The grant types of the token endpoint (RFC 6749). */
export const GRANT_TYPES = ['client_credentials', 'password'];

/** Creates an optional parameter. An empty one counts as absent (RFC 6749 section 3.2). */
function parameter() {
  return z
    .string()
    .optional()
    .transform((value) => value || undefined);
}

/** The form body of the token endpoint (RFC 6749 sections 4.3 and 4.4; rules 2). /docs fills in the examples. */
export const TokenRequest = named('TokenRequest', 'The request for a token, as an HTML form.', {
  grant_type: z.string().min(1).meta({
    enum: GRANT_TYPES,
    description:
      'client_credentials: a token of the application. password: a token of an employee, for the same application.',
  }),
  client_id: parameter().meta({
    description: 'The appKey, unless sent by HTTP Basic.',
    examples: ['your-appKey'],
  }),
  client_secret: parameter().meta({
    format: 'password',
    description: 'The appSecret, unless sent by HTTP Basic.',
    examples: ['your-appSecret'],
  }),
  username: parameter()
    .transform((account) => account?.trim().normalize('NFC'))
    .meta({
      description: 'For the grant type password: the full account, name@code.',
      examples: ['admin@demoworks'],
    }),
  password: parameter().meta({
    format: 'password',
    description: 'For the grant type password: the password of the employee.',
    examples: ['your-adminPassword'],
  }),
  scope: parameter().meta({
    description: 'auth_order, auth_me, or both separated by a space. Absent: all scopes of the application.',
    examples: ['auth_order auth_me'],
  }),
});
export type TokenRequest = z.infer<typeof TokenRequest>;

/** RFC 6749 section 5.1. */
export const TokenAnswer = named('Token', 'An access token of an application or an employee.', {
  access_token: z.string().describe('The token. Reuse it until it expires.'),
  token_type: z.literal('Bearer').describe('Always Bearer.'),
  expires_in: integer().describe('Lifetime in seconds.'),
  scope: z.string().describe('Granted scopes, separated by spaces.'),
});
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
  .meta({ id: 'OAuthErrorWord', description: 'An error of RFC 6749.' });
export type OAuthErrorWord = z.infer<typeof OAuthErrorWord>;

export const OAuthErrorAnswer = named('OAuthError', 'No token was issued.', {
  error: OAuthErrorWord.describe('For programs: why no token was issued.'),
  error_description: z.string().describe('For people; the text may change.'),
});

const NONCE = /^[A-Za-z0-9_-]{8,64}$/;

/** The query parameter g_nonce (rules 3). */
export const Nonce = z
  .string()
  .regex(NONCE)
  .describe(
    'A random string, new for every call, such as a UUID: 8 to 64 characters from A-Z, a-z, 0-9, _ and -. A nonce used within the last ten minutes is refused.',
  );

/** A channel's code: 1 to 255 characters, trimmed (rules 4). */
export const ChannelCode = text();

/** The channels that an application is bound to. Null: it may use all channels (rules 2). */
export type Channels = readonly string[] | null;

/** Returns the channels that are in both. */
export const inBoth = (one: Channels, other: Channels): Channels =>
  one === null || other === null ? (one ?? other) : one.filter((code) => other.includes(code));

/**
 * Refuses a channel that an application is not bound to. `path` is the field that names the channel.
 *
 * Throws a Refusal: channel_not_allowed.
 */
export function requireChannel(channels: Channels, code: string, path = 'channelCode'): void {
  if (channels !== null && !channels.includes(code)) throw new Refusal('channel_not_allowed', path, code);
}

/** A calling application and the channels that it is bound to. It sees what is its own, in these channels (rules 2). */
export interface ApplicationCaller {
  applicationId: ApplicationId;
  channels: Channels;
}

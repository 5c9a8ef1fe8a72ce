import type { Credentials } from '@lockstep/access';
import { operations } from '@lockstep/contract';
import { expect } from 'vitest';
import type { Answer } from './api.ts';

/** Calls the token endpoint with a form, or with an unchanged body. */
export async function requestToken(
  baseUrl: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(baseUrl + operations.issueToken.path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : String(new URLSearchParams(form)),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** The header of a client that authenticates by HTTP Basic. */
export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
export const basicOf = ({ appKey, appSecret }: Credentials) => basic(appKey, appSecret);
/** The parameters of a client that authenticates in the body. */
export const inBody = ({ appKey, appSecret }: Credentials) => ({ client_id: appKey, client_secret: appSecret });

/** Requests a token for the application itself. */
export const askClientToken = (baseUrl: string, client: Credentials, scope = '') =>
  requestToken(baseUrl, { grant_type: 'client_credentials', scope }, basicOf(client));

/** Requests a user token for all scopes, or those given, whatever the answer. */
export const askUserToken = (
  baseUrl: string,
  client: Credentials,
  { account: username, password, scope = '' }: { account: string; password: string; scope?: string },
) => requestToken(baseUrl, { grant_type: 'password', username, password, scope }, basicOf(client));

/** Expects a token for both scopes, which no one caches. Returns it. */
export function expectToken(answer: Answer): string {
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    access_token: expect.stringMatching(/^[\w-]{32,}$/),
    token_type: 'Bearer',
    expires_in: 7_200,
    scope: 'auth_order auth_me',
  });
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('pragma')).toBe('no-cache');
  return answer.body.access_token;
}

/**
 * Expects an error of RFC 6749 (section 5.2), without an envelope, without caching, and with permitted characters only.
 */
export function expectOAuthError(answer: Answer, status: 400 | 401, error: string): void {
  expect(answer.body).toEqual({ error, error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/) });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
}

import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OidcConfig } from '@lockstep/config';
// @ts-expect-error It has no types.
import { Provider } from 'oidc-provider';
import { vi } from 'vitest';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const SECRET = 'a secret of the provider for tests';

/** An answer of the provider. */
export interface Answer {
  path: string;
  body: unknown;
}

/** A provider of identities, as a company runs one. */
export interface TestProvider {
  /** The settings of a service that uses it. */
  config: OidcConfig;
  /** People by their id: user names and groups. A login is the id. */
  people: Map<string, object>;
  /** Changes answers while set. */
  alter: ((answer: Answer) => void) | undefined;
  /** Logs in as a person at an address that the service gave. Returns the parameters that the browser brings back. */
  logIn(url: string, id: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts a provider for a service at `publicUrl`. It asks for an id and a password, any one, and for no consent. */
export async function startLoginProvider(publicUrl: string): Promise<TestProvider> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const roles: OidcConfig['roles'] = [
    { role: 'admin', group: 'admins' },
    { role: 'support', group: 'help desk' },
    { role: 'viewer', group: 'staff' },
  ];
  const provider: TestProvider = {
    config: { issuer, clientId: 'lockstep', clientSecret: SECRET, roles, groupsClaim: 'groups', publicUrl },
    people: new Map(),
    alter: undefined,
    logIn: (url, id) => logInAt(url, id, publicUrl),
    close: async () => void server.close().closeAllConnections(),
  };
  // It warns that its pages are for tests.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const oidc = new Provider(issuer, {
    clients: [{ client_id: 'lockstep', client_secret: SECRET, redirect_uris: [`${publicUrl}/console/log-in`] }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'key', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key for tests'] },
    ttl: Object.fromEntries(['AccessToken', 'Grant', 'IdToken', 'Interaction', 'Session'].map((kind) => [kind, 600])),
    claims: { profile: ['preferred_username'], email: ['email'], groups: ['groups'] },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...provider.people.get(sub) }),
    }),
    loadExistingGrant: async ({ oidc: { session } }: { oidc: { session: { accountId: string } } }) => {
      const grant = new oidc.Grant({ accountId: session.accountId, clientId: 'lockstep' });
      grant.addOIDCScope('openid profile email groups');
      await grant.save();
      return grant;
    },
  });
  oidc.use(async (context: Answer, next: () => Promise<void>) => {
    await next();
    provider.alter?.(context);
  });
  server.on('request', oidc.callback());
  return provider;
}

/** Changes claims of an ID token, and signs it as the provider does. */
export function resign(token: string, changed: object): string {
  const [head = '', body = ''] = token.split('.');
  const claims = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), ...changed };
  const signed = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}

async function logInAt(url: string, id: string, publicUrl: string): Promise<string> {
  const cookies = new Map<string, string>();
  const body = new URLSearchParams({ prompt: 'login', login: id, password: 'any' });
  for (let at = url; ; ) {
    if (at.startsWith(publicUrl)) return new URL(at).search;
    const isForm = at.includes('/interaction/');
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const form = isForm ? { method: 'POST', body } : {};
    const { headers } = await fetch(at, { redirect: 'manual', headers: { cookie }, ...form });
    for (const set of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    at = new URL(headers.get('location')!, at).href;
  }
}

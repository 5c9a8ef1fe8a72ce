import { CallVerifier } from '@lockstep/access';
import { operations } from '@lockstep/contract';
import { consoleOperations } from '@lockstep/contract/console';
import { createLogger, createMetrics, type Database } from '@lockstep/platform';
import { afterAll, describe, expect, it } from 'vitest';
import { addHttpMetrics } from './metrics.ts';
import { buildServer } from './server.ts';
import type { Services } from './services.ts';

/** Every route without credentials. A new entry opens a route to the world. */
const OPEN = [
  /^\/oauth2\/token$/,
  /^\/\.well-known\/oauth-authorization-server(\/\*)?$/,
  /^\/$/,
  /^\/openapi\.json$/,
  /^\/llms\.txt$/,
  /^\/docs(\/|$)/,
  /^\/health\/(live|ready)$/,
  /^\/metrics$/,
  /^\/console\/api\/session\/log-in(-by-link)?$/,
  /^\/console\/api\/session\/provider\/(begin|log-in)$/,
  // The console's page and files contain no data.
  /^\/console(\/\*)?$/,
  /^\/console\/files\/\*$/,
];
/** The operations of the console, for operators. */
const isConsole = (url: string) => url.startsWith('/console/api/');
const isOpen = (url: string) => OPEN.some((pattern) => pattern.test(url));

/** A server without a database: a call that passes authentication fails there. */
const server = await buildServer({
  log: createLogger({ name: 'test', level: 'silent', secrets: new Set() }),
  metrics: addHttpMetrics(createMetrics()),
  verifier: new CallVerifier({} as Database),
  schema: { isCurrent: async () => true },
  publicUrl: 'https://licenses.example/lockstep',
} as Services);
const baseUrl = await server.listen({ port: 0, host: '127.0.0.1' });
afterAll(() => server.close());

/** Returns every registered route, with values for its parameters. */
function calls() {
  return server.routes.flatMap(({ url, methods }) =>
    methods.map((method) => ({ url, method, path: url.replace(/:\w+/g, '1').replace('*', 'x') })),
  );
}

describe('every registered route', () => {
  it('of the modules refuses a call without credentials, whether or not it has a body', async () => {
    const closed = calls().filter(({ url }) => !isOpen(url) && !isConsole(url));
    expect(closed.length).toBe(Object.values(operations).filter(({ module }) => module !== 'open').length);
    for (const { method, path } of closed) {
      const bodies = method === 'GET' ? [{}] : [{}, { body: '{', headers: { 'content-type': 'application/json' } }];
      for (const body of bodies) {
        const response = await fetch(`${baseUrl}${path}?g_nonce=12345678`, { method, ...body });
        const answer = { method, path, status: response.status, body: await response.json() };
        expect(answer).toMatchObject({ status: 299, body: { code: '60000', cause: 'token_missing' } });
      }
    }
  });

  it('of the console refuses a call without a session, whether or not it has a body', async () => {
    const closed = calls().filter(({ url }) => isConsole(url) && !isOpen(url));
    const needSession = Object.values(consoleOperations).filter(({ role }) => role !== 'anybody');
    expect(closed.length).toBe(needSession.length);
    for (const { method, path } of closed) {
      const bodies = method === 'GET' || method === 'HEAD' ? [{}] : [{}, { body: '{' }];
      for (const sent of bodies) {
        const headers = { 'x-lockstep-console': 'user', 'content-type': 'application/json' };
        const response = await fetch(baseUrl + path, { method, headers, ...sent });
        const body = method === 'HEAD' ? { cause: 'not_logged_in' } : await response.json();
        const answer = { method, path, status: response.status, body };
        expect(answer).toMatchObject({ status: 401, body: { cause: 'not_logged_in' } });
      }
    }
  });

  it('is an operation of the contract or an open route', () => {
    const served = calls().map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
    const described = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    expect(served).toEqual(expect.arrayContaining(described));
    const others = calls().filter(
      ({ method, url }) => !described.includes(`${method} ${url.replace(/:(\w+)/g, '{$1}')}`),
    );
    expect(others.filter(({ url }) => !isOpen(url) && !isConsole(url))).toEqual([]);
  });

  it.each(OPEN)('%s is registered', (pattern) => {
    expect(calls().some(({ url }) => pattern.test(url))).toBe(true);
  });
});

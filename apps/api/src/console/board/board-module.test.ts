import { CallVerifier } from '@lockstep/access';
import { createLogger, createMetrics, type Database } from '@lockstep/platform';
import { afterEach, describe, expect, it } from 'vitest';
import { addHttpMetrics } from '../../metrics.ts';
import { buildServer } from '../../server.ts';
import type { ServerOptions } from '../../server-options.ts';
import { BOARD_PATH } from './board-module.ts';

const BOARD = `/console${BOARD_PATH}`;
const SESSION = { cookie: `lockstep_operator=${'a'.repeat(43)}` };

let server: Awaited<ReturnType<typeof buildServer>> | undefined;
afterEach(() => server?.close());

/** A server in trouble: without a database, or with one of another release. */
async function serverWith({ isSchemaCurrent }: { isSchemaCurrent: boolean }) {
  server = await buildServer({
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics: addHttpMetrics(createMetrics()),
    verifier: new CallVerifier({} as Database),
    schema: { isCurrent: async () => isSchemaCurrent },
    publicUrl: null,
  } as ServerOptions);
  return server;
}

describe('a call of the board that the service cannot answer', () => {
  it.each([
    ['because the database is away', true],
    ['because the database is of another release', false],
  ])('is answered with 503 %s, as other calls of the console', async (_, isSchemaCurrent) => {
    const troubled = await serverWith({ isSchemaCurrent });
    for (const url of [`${BOARD}/api/queues`, '/console/api/queue']) {
      const answer = await troubled.inject({ url, headers: SESSION });
      expect(answer.json()).toMatchObject({ code: '500', cause: 'service_unavailable' });
      expect(answer.statusCode).toBe(503);
    }
  });
});

describe('the page of the board', () => {
  it('is there all the same, and for whoever comes by a link from elsewhere', async () => {
    const troubled = await serverWith({ isSchemaCurrent: false });
    for (const path of ['', '/queue/orders', '/static/favicon.ico']) {
      const answer = await troubled.inject({ url: BOARD + path, headers: { 'sec-fetch-site': 'cross-site' } });
      expect(answer.statusCode).toBe(200);
    }
  });
});

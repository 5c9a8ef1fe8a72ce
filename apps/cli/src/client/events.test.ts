import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findOperation } from '@lockstep/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OrderClient } from './client.ts';
import { type FeedOptions, readEvents } from './events.ts';
import { NETWORK_FAULTS } from './http.ts';

/** How a simulated service answers one call for events. */
type Script = (request: IncomingMessage, response: ServerResponse, asked: URLSearchParams) => void;

const answer = (response: ServerResponse, body: object, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const page =
  (...ids: string[]): Script =>
  (_, response, asked) => {
    const events = ids.map((id) => ({ id, type: 'batch.completed' }));
    const data = { events, lastId: ids.at(-1) ?? asked.get('after'), hasMore: ids.length === 2 };
    answer(response, { code: 0, message: 'success', data });
  };
const refuse =
  (code: string, cause: string): Script =>
  (_, response) =>
    answer(response, { code, cause, message: 'no' }, 299);
const hangUp: Script = ({ socket }) => socket.destroy();
const badGateway: Script = (_, response) => void response.writeHead(502).end('<html>Bad gateway</html>');

const closing: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) close();
});

/**
 * Reads the feed of a service that answers by these scripts. Returns the events' ids, the queries that the service
 * received, the lines on standard error, the message of the error, and how many tokens the service issued.
 */
async function follow(scripts: Script[], options: FeedOptions) {
  const asked: Record<string, string>[] = [];
  const said: string[] = [];
  let tokens = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    if (url.pathname === findOperation('issueToken').path) {
      tokens += 1;
      return answer(response, { access_token: `token-${tokens}`, expires_in: 7_200 });
    }
    const { g_nonce, waitSeconds, ...query } = Object.fromEntries(url.searchParams);
    asked.push(waitSeconds === '0' ? query : { ...query, waitSeconds: waitSeconds! });
    return scripts.shift()!(request, response, url.searchParams);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close().closeAllConnections());
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new OrderClient({ baseUrl, appKey: 'key', appSecret: 'secret' });
  const ids: string[] = [];
  let fault = '';
  try {
    for await (const { id } of readEvents(client, options)) ids.push(id);
  } catch (error) {
    fault = (error as Error).message;
  }
  return { ids, asked, said, fault, tokens };
}

describe('the event feed', () => {
  it('is read to its end, each page after the last id', async () => {
    const { ids, asked } = await follow([page('1', '2'), page('5', '7'), page('9')], {});
    expect(ids).toEqual(['1', '2', '5', '7', '9']);
    expect(asked).toEqual([{ limit: '1000' }, { limit: '1000', after: '2' }, { limit: '1000', after: '7' }]);
  });

  it('ends after as many events as requested', async () => {
    const { ids, asked } = await follow([page('4', '5'), page('6')], { after: '3', limit: 3 });
    expect(ids).toEqual(['4', '5', '6']);
    expect(asked).toEqual([
      { limit: '3', after: '3' },
      { limit: '3', after: '5' },
    ]);
  });

  it('is followed across answers without events, each call waiting for 30 seconds', async () => {
    const { ids, asked } = await follow([page(), page('1'), page(), page('2')], { limit: 2, follow: true });
    expect(ids).toEqual(['1', '2']);
    expect(asked.map(({ waitSeconds, after }) => [waitSeconds, after])).toEqual([
      [undefined, undefined],
      ['30', undefined],
      ['30', '1'],
      ['30', '1'],
    ]);
  });

  it.each([
    ['hangs up', hangUp],
    ['is behind a proxy that cannot reach it', badGateway],
    ['says that it cannot answer', refuse('500', 'service_unavailable')],
  ])('is followed while the service %s, which is reported once', async (_, away) => {
    const { ids, asked, said, fault } = await follow([page('1'), away, away, page('2')], { limit: 2, follow: true });
    expect({ ids, fault }).toEqual({ ids: ['1', '2'], fault: '' });
    expect(asked.map(({ after }) => after)).toEqual([undefined, '1', '1', '1']);
    expect(said).toEqual([expect.stringMatching(/^lockstep: http:.*\n$/), expect.stringMatching(/^lockstep: .*\n$/)]);
  });

  it('is followed with a new token when the old one expires', async () => {
    const scripts = [page('1'), refuse('60000', 'token_invalid'), page('2')];
    const { ids, tokens, said } = await follow(scripts, { limit: 2, follow: true });
    expect({ ids, tokens, said }).toEqual({ ids: ['1', '2'], tokens: 2, said: [] });
  });

  it('ends with a refusal: of a new token, or with any other cause', async () => {
    const invalid = refuse('60000', 'token_invalid');
    expect((await follow([invalid, invalid], { follow: true })).fault).toMatch(/60000 \(token_invalid\)/);
    expect((await follow([refuse('60000', 'scope_missing')], { follow: true })).fault).toMatch(/scope_missing/);
  });

  it.each<FeedOptions>([{}, { follow: true }])('ends with an event that came before (%j)', async (options) => {
    const pages = [page('1', '2'), page('1', '2'), page('3', '4')];
    const { asked, fault } = await follow(pages, { ...options, limit: 6 });
    expect(asked.map(({ after }) => after)).toEqual([undefined, '2']);
    expect(fault).not.toBe('');
  });

  it('ends with an unavailable service if it is not followed', async () => {
    const { ids, fault } = await follow([page('1', '2'), hangUp], {});
    expect(ids).toEqual(['1', '2']);
    expect(fault).toContain(NETWORK_FAULTS.ECONNRESET);
  });
});

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

const answer = (response: ServerResponse, body: object) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const page =
  (...ids: string[]): Script =>
  (_, response, asked) => {
    const events = ids.map((id) => ({ id, type: 'batch.completed' }));
    const data = { events, lastId: ids.at(-1) ?? asked.get('after'), hasMore: ids.length === 2 };
    answer(response, { code: 0, message: 'success', data });
  };
const hangUp: Script = ({ socket }) => socket.destroy();

const closing: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) close();
});

/**
 * Reads the feed of a service that answers by these scripts. Returns the events' ids, the queries that the service
 * received, the lines on standard error, and the message of the error.
 */
async function follow(scripts: Script[], options: FeedOptions) {
  const asked: Record<string, string>[] = [];
  const said: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    if (url.pathname === findOperation('issueToken').path) {
      return answer(response, { access_token: 'token', expires_in: 7_200 });
    }
    const { g_nonce, waitSeconds, ...query } = Object.fromEntries(url.searchParams);
    asked.push(query);
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
  return { ids, asked, said, fault };
}

/** What calls in the feed do about tokens and refusals, see packages/client/src/client.test.ts. */
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

  it('is followed while the service is away, which is reported once', async () => {
    const { ids, asked, said, fault } = await follow([page('1'), hangUp, hangUp, page('2')], {
      limit: 2,
      follow: true,
    });
    expect({ ids, fault }).toEqual({ ids: ['1', '2'], fault: '' });
    expect(asked.map(({ after }) => after)).toEqual([undefined, '1', '1', '1']);
    expect(said).toEqual([expect.stringMatching(/^lockstep: http:.*\n$/), expect.stringMatching(/^lockstep: .*\n$/)]);
  });

  it('ends with an unavailable service if it is not followed', async () => {
    const { ids, fault } = await follow([page('1', '2'), hangUp], {});
    expect(ids).toEqual(['1', '2']);
    expect(fault).toContain(NETWORK_FAULTS.ECONNRESET);
  });
});

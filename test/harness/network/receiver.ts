import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';

/** A message that a receiver got. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  /** Its parsed body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  message: any;
}

/** An endpoint of a webhook. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Resolves with the messages once this many have arrived. */
  awaitCount(count: number): Promise<Received[]>;
  /** Resolves when no sender is connected: everything that a killed one sent has arrived. */
  untilAlone(): Promise<void>;
  close(): Promise<void>;
}

/** Answers a received message. */
export type Answer = (response: ServerResponse, received: Received, index: number) => void;

const answerNoContent: Answer = (response) => response.writeHead(204).end();

/** Starts an endpoint that records messages, and answers 204 by default. `port`: any free one by default. */
export async function startReceiver(answer: Answer = answerNoContent, port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = async (request, response) => {
    const body = String(await buffer(request));
    received.push({ headers: request.headers, body, message: JSON.parse(body) });
    answer(response, received.at(-1)!, received.length - 1);
  };
  const server = createServer(listener);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const countConnections = promisify(server.getConnections.bind(server));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    awaitCount: (count) =>
      vi.waitFor(
        () => {
          if (received.length < count) throw new Error(`${received.length} messages of ${count} have come`);
          return received;
        },
        { timeout: 60_000, interval: 20 },
      ),
    untilAlone: () => expect.poll(() => countConnections()).toBe(0),
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

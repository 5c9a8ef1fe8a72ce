import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';

/** A message as it came to a receiver. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  /** Its body, read. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  message: any;
}

/** An endpoint of a webhook. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Resolves when so many messages have come; returns them. */
  awaitCount(count: number): Promise<Received[]>;
  /** Resolves when no caller is connected: all that a killed one has sent has come. */
  untilAlone(): Promise<void>;
  close(): Promise<void>;
}

/** Answers a message that has been read. */
export type Answer = (response: ServerResponse, received: Received, index: number) => void;

const answerNoContent: Answer = (response) => response.writeHead(204).end();

/** Starts an endpoint that keeps what comes, and answers 204 unless told otherwise. */
export async function startReceiver(answer: Answer = answerNoContent): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = async (request, response) => {
    const body = String(await buffer(request));
    received.push({ headers: request.headers, body, message: JSON.parse(body) });
    answer(response, received.at(-1)!, received.length - 1);
  };
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
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

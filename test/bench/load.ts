import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Customer } from '@lockstep/contract';
import { newBuy, productToBuy } from '../harness/orders/orders.ts';

const REPEAT_AFTER_MS = 1_000;

/** Connections that each have one call at a time: again once it is answered, or at a fixed rate of all together. */
export interface Pace {
  callers: number;
  perSecond?: number;
  durationMs?: number;
}

/** Requests to a service, built before they are measured. */
export interface Load {
  baseUrl: string;
  /** Paths with queries that end with `?` or `&`, to which a nonce is appended. Calls take them in turn. */
  targets: readonly string[];
  headers: Record<string, string>;
  /** Bodies to post. Without them, the targets are read over and over. */
  bodies?: readonly Buffer[];
  pace: Pace;
}

/** Purchases by each customer in turn, in batches. */
export interface Batches {
  mode: 'async' | 'sync';
  size: number;
  count: number;
  pace: Pace;
}

export type Buyer = Pick<Customer, 'customerId' | 'channelCustomerId' | 'enterpriseGlobalId'>;

/** Returns the bodies of batches, how many orders they have, and the prefix of their channel order ids (`TAG-0`). */
export function buildBatches({ mode: syncMode, size, count }: Batches, buyers: readonly Buyer[]) {
  const tag = randomUUID().slice(0, 13);
  let sent = 0;
  const bodies = Array.from({ length: count }, (_, batch) => {
    // Asset numbers of one batch are adjacent, and batches are spread at random.
    const range = randomUUID().slice(0, 8);
    const orderList = Array.from({ length: size }, (_, place) =>
      newBuy(buyers[sent++ % buyers.length]!, [`${range}-${tag}-${place}`], {}, { products: [endingProduct(sent)] }),
    );
    return Buffer.from(
      JSON.stringify({ channelCode: 'bench', channelOrderId: `${tag}-${batch}`, syncMode, orderList }),
    );
  });
  return { bodies, orders: count * size, tag };
}

/** Returns a product that ends on a day of the next three years. */
function endingProduct(order: number) {
  return productToBuy({ limitEndDate: Date.now() + (order % (3 * 365)) * 86_400_000 });
}

/** What a load measured. Times are milliseconds since 1970. */
export interface LoadResult {
  startedMs: number;
  /** For each call, from its due time to its answer. */
  latenciesMs: number[];
  /** Answers a second. */
  rate: number;
  /** Processor time that sending took. */
  micros: number;
}

/** Sends requests from this process. Repeats those that are refused as overloaded. @throws Error for other refusals */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { callers, perSecond, durationMs = Number.POSITIVE_INFINITY } = load.pace;
  const count = load.bodies?.length ?? Number.POSITIVE_INFINITY;
  const nonces = randomUUID();
  const latenciesMs: number[] = [];
  const usedBefore = process.cpuUsage();
  const startedMs = nowMs();
  let calls = 0;
  const sendUntilOver = async () => {
    const { send, close } = await openConnection(load.baseUrl);
    for (let index = calls++; index < count && nowMs() - startedMs < durationMs; index = calls++) {
      const dueMs = perSecond === undefined ? 0 : startedMs + (index * 1_000) / perSecond;
      const waitMs = dueMs - nowMs();
      if (waitMs > 0) await delay(waitMs);
      // At a rate, latency counts from the due time. A timer may fire late, for which the service isn't blamed.
      const fromMs = perSecond === undefined || waitMs > 0 ? nowMs() : dueMs;
      for (let attempt = 0; ; attempt++) {
        const answer = await send(...buildRequest(load, index, `${nonces}-${index}-${attempt}`));
        if (answer.startsWith('HTTP/1.1 200')) break;
        if (!answer.includes('"overloaded"')) throw new Error(answer.slice(0, 1_000));
        await delay(REPEAT_AFTER_MS);
      }
      latenciesMs.push(nowMs() - fromMs);
    }
    close();
  };
  await Promise.all(Array.from({ length: callers }, sendUntilOver));
  const { user, system } = process.cpuUsage(usedBefore);
  const rate = latenciesMs.length / ((nowMs() - startedMs) / 1_000);
  return { startedMs, latenciesMs, rate, micros: user + system };
}

/** Returns the time in milliseconds since 1970. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

function buildRequest({ targets, headers, bodies }: Load, index: number, nonce: string): [head: string, body?: Buffer] {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const path = `${targets[index % targets.length]}g_nonce=${nonce}`;
  const body = bodies?.[index];
  if (body === undefined) return [`GET ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}\r\n`];
  lines.push('content-type: application/json\r\n', `content-length: ${body.length}\r\n`);
  return [`POST ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}\r\n`, body];
}

/**
 * Opens a keep-alive HTTP/1.1 connection for one request at a time. It is minimal, because sending shares the processor
 * with the service. Answers, which are returned with their heads, must have a content-length.
 */
async function openConnection(baseUrl: string) {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  await once(socket, 'connect');
  let received = '';
  let pending: PromiseWithResolvers<string> | undefined;
  socket.setEncoding('latin1').on('data', (part: string) => {
    received += part;
    const headLength = received.indexOf('\r\n\r\n') + 4;
    if (headLength < 4) return;
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(received) ?? [];
    if (length === undefined) pending?.reject(new Error(`The answer has no content-length: ${received}`));
    if (received.length >= headLength + Number(length)) pending?.resolve(received);
  });
  socket.on('error', (error) => pending?.reject(error));
  socket.on('close', () => pending?.reject(new Error('The server closed the connection')));
  return {
    /** @throws Error if the connection closes before the answer is complete */
    send(head: string, body?: Buffer): Promise<string> {
      received = '';
      pending = Promise.withResolvers();
      socket.cork();
      socket.write(head, 'latin1');
      if (body !== undefined) socket.write(body);
      socket.uncork();
      return pending.promise;
    },
    close: () => socket.destroy(),
  };
}

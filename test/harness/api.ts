import { randomUUID } from 'node:crypto';
import type { Credentials } from '@lockstep/access';
import {
  type AcceptedOrder,
  BatchResult,
  buildPath,
  CancelledBatch,
  type Customer,
  FailureBody,
  findOperation,
  ORDER_ROOT,
  type OrderOperationId,
  OrderPreview,
} from '@lockstep/contract';
import { z } from 'zod';

/** An HTTP answer. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export interface CallOptions {
  /** A parameter with a list is sent once for each value. */
  query?: Record<string, string | string[]>;
  body?: unknown;
  /** Sent in place of JSON.stringify(body). */
  rawBody?: string | Uint8Array;
  headers?: Record<string, string>;
  /** null omits it. */
  nonce?: string | null;
  token?: string | null;
}

type PlainOrderOperationId = Exclude<OrderOperationId, 'getOrderResult' | 'listVirtualAssets'>;

/** Calls a service over HTTP, as a channel's system does. */
export class Api {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly token: string;

  constructor(baseUrl: string, credentials: Credentials, token: string) {
    this.baseUrl = baseUrl;
    this.credentials = credentials;
    this.token = token;
  }

  static async logIn(baseUrl: string, credentials: Credentials): Promise<Api> {
    const response = await fetch(`${baseUrl}${buildPath('issueToken', {})}`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: credentials.appKey,
        client_secret: credentials.appSecret,
      }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    return new Api(baseUrl, credentials, access_token);
  }

  /** Calls the order module; `path` follows ORDER_ROOT. */
  call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return this.#call(method, ORDER_ROOT + path, options);
  }

  /** Calls an operation that has no parameters in its path. */
  ask(id: PlainOrderOperationId, options: CallOptions = {}): Promise<Answer> {
    const { method, path } = findOperation(id);
    return this.#call(method, path, options);
  }

  #call(method: string, path: string, options: CallOptions): Promise<Answer> {
    const { token = this.token } = options;
    const headers = { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...options.headers };
    return callService(method, this.baseUrl + path, { ...options, headers });
  }

  /** Submits O5, whatever the answer. */
  submit(batch: unknown, options: CallOptions = {}): Promise<Answer> {
    const query = { appKey: this.credentials.appKey, ...options.query };
    return this.ask('createBatchOrder', { body: batch, ...options, query });
  }

  /** Submits O5 and expects it to be accepted; resubmits it, as clients do, if a busy machine has no time for it. */
  async accept(batch: unknown): Promise<AcceptedOrder[]> {
    return dataOf(await untilServed(() => this.submit(batch)));
  }

  /** Waits until a batch is completed. Returns its result, checked against the contract. */
  async completed(batch: { channelCode: string; channelOrderId: string }): Promise<BatchResult> {
    const { channelCode, channelOrderId } = batch;
    const query = { channelCode, channelOrderId, waitSeconds: '30', limit: '1000' };
    for (;;) {
      const result = BatchResult.parse(dataOf(await this.ask('getBatchResult', { query })));
      if (result.state === 'completed') return result;
    }
  }

  /** Accepts a batch, waits until it is completed, and returns the results of its orders. */
  async process(batch: { channelCode: string; channelOrderId: string }): Promise<BatchResult['orders']> {
    await this.accept(batch);
    return (await this.completed(batch)).orders;
  }

  /** Applies orders at once, in a sync batch that must succeed. */
  carryOut(...orderList: unknown[]): Promise<AcceptedOrder[]> {
    return this.accept({ channelCode: 'test', channelOrderId: randomUUID(), syncMode: 'sync', orderList });
  }

  /** Submits a preview of O5, whatever the answer. */
  submitPreview(batch: unknown, options: CallOptions = {}): Promise<Answer> {
    const query = { appKey: this.credentials.appKey, ...options.query };
    return this.ask('previewBatchOrder', { body: batch, ...options, query });
  }

  /** Previews a batch. Returns what each order would do, checked against the contract. */
  async preview(batch: unknown): Promise<OrderPreview[]> {
    return z.array(z.strictObject(OrderPreview.shape)).parse(dataOf(await this.submitPreview(batch)));
  }

  /** Submits a cancel, whatever the answer. */
  submitCancel({ channelCode, channelOrderId }: { channelCode: string; channelOrderId: string }): Promise<Answer> {
    return this.ask('cancelBatchOrder', { body: { channelCode, channelOrderId } });
  }

  /** Cancels the pending orders of a batch. Returns the answer, checked against the contract. */
  async cancel(batch: { channelCode: string; channelOrderId: string }): Promise<CancelledBatch> {
    return z.strictObject(CancelledBatch.shape).parse(dataOf(await this.submitCancel(batch)));
  }

  /** Creates a customer with O1, of a new enterprise or of the named one. */
  async newCustomer(enterpriseName = `Enterprise ${randomUUID()}`, channelCode = 'test'): Promise<Customer> {
    const answer = await this.ask('bindCustomer', {
      body: {
        channelCode,
        channelCustomerId: randomUUID(),
        customerName: 'Customer',
        branchName: 'Branch',
        enterpriseName,
        passwordMobile: '13800000000',
      },
    });
    return dataOf(answer);
  }
}

/** Calls an operation, with a new nonce by default. */
export async function callService(method: string, url: string, options: Omit<CallOptions, 'token'>): Promise<Answer> {
  const { nonce = randomUUID() } = options;
  const parameters = Object.entries({ ...options.query, ...(nonce === null ? {} : { g_nonce: nonce }) });
  const query = new URLSearchParams(
    parameters.flatMap(([name, values]) => [values].flat().map((each): [string, string] => [name, each])),
  );
  const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const response = await fetch(`${url}?${query}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers },
    ...(body === undefined ? {} : { body: body as string }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Repeats a call that a busy machine, or its database, has no time for, as clients do. */
export async function untilServed(call: () => Promise<Answer>): Promise<Answer> {
  const answer = await call();
  return ['overloaded', 'service_unavailable'].includes(answer.body.cause) ? untilServed(call) : answer;
}

/** Reads the pages of a list one after another, up to the one without a next cursor. */
export async function readPages<Page extends { nextCursor: string | null }>(
  read: (cursor: string) => Promise<Page>,
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await read(cursor);
    if (page.nextCursor === cursor) throw new Error(`A page leads to itself: ${cursor}`);
    pages.push(page);
    cursor = page.nextCursor;
  }
  return pages;
}

/** Expects success and returns the data of the answer. */
export function dataOf(answer: Answer) {
  if (answer.status !== 200 || answer.body.code !== 0) {
    throw new Error(`Refused with HTTP ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
  return answer.body.data;
}

/** Returns the body of a refusal, HTTP 299, checked against the contract. */
export function refusalOf(answer: Answer): Omit<FailureBody, 'args'> {
  if (answer.status !== 299) throw new Error(`Not refused: HTTP ${answer.status} ${JSON.stringify(answer.body)}`);
  // The message says the values, too.
  const { args: _args, ...refusal } = FailureBody.parse(answer.body);
  return refusal;
}

/** Returns the path of the field that a message starts with. The words after it may change. */
export function pathIn(message: string): string {
  return message.split(': ', 1)[0]!;
}

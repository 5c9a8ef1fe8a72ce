import { randomUUID } from 'node:crypto';
import type { AcceptedOrder, BatchResult, FailureBody, TokenAnswer } from '@lockstep/contract';

export interface ClientOptions {
  baseUrl: string;
  appKey: string;
  appSecret: string;
}

type Answer<Data> = { code: 0; data: Data } | FailureBody;

const ORDER_ROOT = '/order/api/order/v1';

/** A caller of the order module, as an integrator would write one. */
export class OrderClient {
  readonly #options: ClientOptions;
  #token = '';

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Gets the application-level token that the other calls carry. */
  async logIn(): Promise<void> {
    const { appKey, appSecret } = this.#options;
    const response = await this.#fetch('/oauth2/token', {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${appKey}:${appSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const answer = (await response.json()) as TokenAnswer & { error_description?: string };
    if (!response.ok) throw new Error(`No token: ${answer.error_description}`);
    this.#token = answer.access_token;
  }

  /** O5. */
  submit(body: string): Promise<AcceptedOrder[]> {
    return this.#call('POST', '/licenseOrder/batchOrder', { appKey: this.#options.appKey }, body);
  }

  /** What became of a batch. */
  batchResult(query: Record<string, string>): Promise<BatchResult> {
    return this.#call('GET', '/licenseOrder/batchOrder', query);
  }

  async #call<Data>(method: string, path: string, query: Record<string, string>, body?: string): Promise<Data> {
    const search = new URLSearchParams({ ...query, g_nonce: randomUUID() });
    const response = await this.#fetch(`${ORDER_ROOT}${path}?${search}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const answer = (await response.json()) as Answer<Data>;
    if (answer.code === 0) return (answer as { data: Data }).data;
    const { code, message, cause } = answer as FailureBody;
    throw new Error(`Refused with ${code} (${cause}): ${message}`);
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(new URL(path, this.#options.baseUrl), init);
    } catch (error) {
      throw new Error(`${this.#options.baseUrl} does not answer. Does npm start run?`, { cause: error });
    }
  }
}

import { randomUUID } from 'node:crypto';
import {
  type AcceptedOrder,
  type BatchResult,
  type FailureBody,
  findOperation,
  type OperationId,
  type TokenAnswer,
} from '@lockstep/contract';
import { explainNoAnswer, explainStrangeAnswer } from './service-faults.ts';

export interface ClientOptions {
  /** As readBaseUrl returns it. */
  baseUrl: string;
  appKey: string;
  appSecret: string;
}

/** The key of a batch, and of a page of its results. */
type Query = Record<string, string>;

/** Longer than any call takes, a proxy in between included. */
const CALL_TIMEOUT_MS = 90_000;
/** The rate at which the service lets a body arrive. */
const BODY_BYTES_PER_SECOND = 256 * 1024;

/**
 * The address of a service: http or https, a path in front of its own where a proxy adds one, no slash at the end.
 * @throws Error that says what it must be. It does not repeat the value, which may hold a password.
 */
export function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(
      '--base-url (LOCKSTEP_BASE_URL) must be http://host:port or https://host, where the API is, without user and query.',
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** A caller of the order module, as an integrator would write one. What goes wrong is an Error with one line. */
export class OrderClient {
  readonly #options: ClientOptions;
  #token = '';

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Gets the application-level token that the other calls carry. */
  async logIn(): Promise<void> {
    const { appKey, appSecret } = this.#options;
    const { url, answer } = await this.#fetch('issueToken', '', {
      headers: { authorization: `Basic ${Buffer.from(`${appKey}:${appSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token, error_description, message } = answer as Partial<
      TokenAnswer & FailureBody & { error_description: string }
    >;
    if (access_token === undefined) {
      throw new Error(`No token from ${url}: ${error_description ?? message ?? JSON.stringify(answer)}`);
    }
    this.#token = access_token;
  }

  /** O5. */
  submit(bytes: Buffer<ArrayBuffer>): Promise<AcceptedOrder[]> {
    return this.#call('createBatchOrder', { appKey: this.#options.appKey }, bytes);
  }

  /** What became of a batch. */
  batchResult(query: Query): Promise<BatchResult> {
    return this.#call('getBatchResult', query);
  }

  /** Where anybody with a token of the application sees what became of a batch. */
  batchResultUrl(query: Query): string {
    return `${this.#options.baseUrl}${findOperation('getBatchResult').path}?${new URLSearchParams(query)}`;
  }

  async #call<Data>(id: OperationId, query: Query, body?: Buffer<ArrayBuffer>): Promise<Data> {
    const { url, answer } = await this.#fetch(id, `?${new URLSearchParams({ ...query, g_nonce: randomUUID() })}`, {
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const { code, data, message, cause } = answer as Partial<Omit<FailureBody, 'code'>> & {
      code?: unknown;
      data?: Data;
    };
    if (code === 0 && data !== undefined) return data;
    throw new Error(`${url} refused with ${code} (${cause}): ${message}`);
  }

  /** Calls an operation. Returns the JSON object of the answer, and the address without the query. */
  async #fetch(
    id: OperationId,
    query: string,
    init: RequestInit & { body?: unknown },
  ): Promise<{ url: string; answer: object }> {
    const { baseUrl } = this.#options;
    const { method, path } = findOperation(id);
    const url = `${baseUrl}${path}`;
    const bodyBytes = Buffer.isBuffer(init.body) ? init.body.length : 0;
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS + Math.ceil(bodyBytes / BODY_BYTES_PER_SECOND) * 1_000);
    let response: Response;
    let text: string;
    try {
      // Redirected, a POST would arrive as a GET, and the secret elsewhere.
      response = await fetch(`${url}${query}`, { ...init, method, redirect: 'manual', signal });
      text = await response.text();
    } catch (error) {
      throw new Error(explainNoAnswer(error, baseUrl), { cause: error });
    }
    const answer = response.status === 404 ? undefined : parseAnswer(text);
    if (answer !== undefined) return { url, answer };
    throw new Error(
      explainStrangeAnswer(url, {
        status: response.status,
        contentType: response.headers.get('content-type'),
        location: response.headers.get('location'),
      }),
    );
  }
}

/** What only Lockstep's answers have: the envelope's code, or what the token endpoint says. */
const OWN_FIELDS = ['code', 'access_token', 'error_description'];

function parseAnswer(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isOurs = typeof value === 'object' && value !== null && OWN_FIELDS.some((field) => field in value);
    return isOurs ? value : undefined;
  } catch {
    return undefined;
  }
}

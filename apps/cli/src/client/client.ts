import { randomUUID } from 'node:crypto';
import type {
  FailureBody,
  MemberOperationId,
  OperationAnswers,
  OperationId,
  OperationParams,
  OperationRequest,
  OrderOperationId,
  SentBody,
  TokenAnswer,
} from '@lockstep/contract';
import { buildPath, routes } from '@lockstep/contract/routes';
import { CommandFault } from '../output/status.ts';
import { formatFields } from '../output/table.ts';
import { EXPORT_TYPES, type ExportFormat, Incomplete, save } from './export.ts';
import { explainNoAnswer, explainStrangeAnswer, send } from './http.ts';

export interface ClientOptions {
  /** As readBaseUrl returns it. */
  baseUrl: string;
  appKey: string;
  appSecret: string;
  /** An administrator, for calls of the member center. */
  user?: { enterpriseGlobalId: string; account: string; password: string };
}

/** The operations that a client calls after it has logged in. */
export type CalledId = OrderOperationId | MemberOperationId;

/** The query of an operation, without the nonce. Undefined values are not sent. */
export type SentQuery<Id extends OperationId> = {
  [Name in Exclude<keyof NonNullable<OperationRequest<Id>['query']>, 'g_nonce'>]?: string | undefined;
};

/** What a call sends. A body of bytes is sent unchanged. */
type Call<Id extends OperationId> = { query?: SentQuery<Id>; body?: SentBody<Id> | Buffer<ArrayBuffer> } & (
  | { params: OperationParams<Id> }
  | (keyof OperationParams<Id> extends never ? { params?: never } : never)
);

/** The body of a successful answer. */
type BodyOf<Id extends OperationId> = OperationAnswers<Id> extends { 200: infer Body } ? Body : never;
/** `data` in the body of a successful answer; undefined if the operation has none. */
export type DataOf<Id extends OperationId> = BodyOf<Id> extends { data: infer Data } ? Data : undefined;

/** Longer than any call takes, its body included, even through a proxy. */
const CALL_TIMEOUT_MS = 90_000;

/**
 * The service refused a call and changed nothing. If the refusal has several faults, the message has a line for each
 * after the first line.
 */
export class CallRefused extends CommandFault {
  /** The cause of the refusal. */
  readonly reason: string;

  /** @param isOfOrders whether an order named what was not found, rather than the command */
  constructor(message: string, reason: string, isOfOrders: boolean) {
    super(reason.endsWith('_not_found') && !isOfOrders ? 'notFound' : 'refused', message);
    this.name = 'CallRefused';
    this.reason = reason;
  }
}

/** The service is unreachable or cannot answer now; the same call may succeed later. */
export class ServiceUnavailable extends CommandFault {
  constructor(message: string, options?: ErrorOptions) {
    super('unreachable', message, options);
    this.name = 'ServiceUnavailable';
  }
}

/**
 * Parses the address of a service: http or https, with the path prefix of a proxy if there is one. Returns it without a
 * trailing slash.
 * @throws CommandFault, which does not repeat the value: it may contain a password
 */
export function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw new CommandFault(
      'usage',
      '--base-url (LOCKSTEP_BASE_URL) must be http://host:port or https://host, without a user or a query.',
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** A client of the order module and, for a user, of the member center, as an integrator would write one. */
export class OrderClient {
  readonly #options: ClientOptions;
  #headers: Record<string, string> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get appKey(): string {
    return this.#options.appKey;
  }

  /** The enterprise of the user, as a parameter of paths. */
  get enterprise(): { enterpriseGlobalId: string } {
    return { enterpriseGlobalId: this.#options.user?.enterpriseGlobalId ?? '' };
  }

  /** Gets the tokens of the application and the user for the other calls. */
  async logIn(): Promise<void> {
    const { user } = this.#options;
    const token = await this.#issueToken({ grant_type: 'client_credentials' });
    this.#headers = { authorization: `Bearer ${token}` };
    if (user === undefined) return;
    const { account: username, password } = user;
    const userToken = await this.#issueToken({ grant_type: 'password', username, password });
    this.#headers = { ...this.#headers, clientToken: token, userToken };
  }

  async #issueToken(form: Record<string, string>): Promise<string> {
    const { appKey, appSecret } = this.#options;
    const { url, status, answer } = await this.#send('issueToken', routes.issueToken.path, {
      headers: { authorization: `Basic ${Buffer.from(`${appKey}:${appSecret}`).toString('base64')}` },
      type: 'application/x-www-form-urlencoded',
      body: `${new URLSearchParams(form)}`,
    });
    const { access_token, error, error_description, code, cause, message } = answer as Partial<
      TokenAnswer & FailureBody & { error: string; error_description: string }
    >;
    if (access_token === undefined) {
      const why = error_description ?? message ?? JSON.stringify(answer);
      const fault = `${url} refused the credentials with ${error ?? cause ?? code ?? status}: ${why}`;
      throw status >= 500 ? new ServiceUnavailable(fault) : new CommandFault('refused', fault);
    }
    return access_token;
  }

  /**
   * Calls an operation, and gets new tokens if necessary. Returns `data` of the answer.
   * @throws CallRefused, ServiceUnavailable, or another CommandFault if the answer is not from Lockstep
   */
  async call<Id extends CalledId>(id: Id, call: Call<Id>): Promise<DataOf<Id>> {
    return ((await this.callWhole(id, call)) as { data?: unknown }).data as DataOf<Id>;
  }

  /** Calls an operation as `call` does, but returns the whole body of the answer. */
  async callWhole<Id extends CalledId>(id: Id, call: Call<Id>, accept?: string): Promise<BodyOf<Id>> {
    if (this.#headers === undefined) await this.logIn();
    try {
      return await this.#call(id, call, accept);
    } catch (error) {
      // A token expires after two hours, and the feed may be followed for longer. A refused call changed nothing.
      if (!(error instanceof CallRefused) || !error.reason.endsWith('token_invalid')) throw error;
      await this.logIn();
      return await this.#call(id, call, accept);
    }
  }

  /**
   * Writes all entries of a list to standard output, in a format (rules 1.1).
   * @throws the faults of `call`; ServiceUnavailable also if the export breaks
   */
  async export<Id extends CalledId>(id: Id, call: Call<Id>, format: ExportFormat): Promise<void> {
    const answer = (await this.callWhole(id, call, EXPORT_TYPES[format])) as object;
    if ('data' in answer) {
      throw new CommandFault('unreachable', `${this.#options.baseUrl} answered with JSON instead of ${format}.`);
    }
  }

  /** The address at which the application can get the outcome of a batch. */
  batchResultUrl(key: { channelCode: string; channelOrderId: string }): string {
    return `${this.#options.baseUrl}${routes.getBatchResult.path}?${new URLSearchParams(key)}`;
  }

  async #call<Id extends CalledId>(
    id: Id,
    { params, query = {}, body }: Call<Id>,
    accept: string | undefined,
  ): Promise<BodyOf<Id>> {
    const given = Object.entries({ ...query, g_nonce: randomUUID() }).filter(([, value]) => value !== undefined);
    const path = buildPath(id, (params ?? {}) as OperationParams<Id>);
    const { url, answer } = await this.#send(id, `${path}?${new URLSearchParams(given as [string, string][])}`, {
      headers: { ...this.#headers!, ...(accept !== undefined && { accept }) },
      type: 'application/json',
      body: body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
    const { code, message, cause, faults } = answer as Partial<Omit<FailureBody, 'code'>> & { code?: unknown };
    // An answer with data has the outcome of each entry, even if entries failed (rules 1).
    if (code === 0 || 'data' in answer) return answer as BodyOf<Id>;
    const fault = `${url} refused the call with ${code} (${cause}): ${message}`;
    if (code === '500') throw new ServiceUnavailable(fault);
    const isOfOrders = id === 'createBatchOrder' || id === 'previewBatchOrder';
    throw new CallRefused(`${fault}${listFaults(message, faults)}`, String(cause), isOfOrders);
  }

  /** Calls an operation. Returns the answer's JSON object, and the address without the query. */
  async #send(
    id: OperationId,
    pathAndQuery: string,
    { headers, type, body }: { headers: Record<string, string>; type: string; body: string | Buffer | undefined },
  ): Promise<{ url: string; status: number; answer: object }> {
    const { baseUrl } = this.#options;
    const [url = ''] = `${baseUrl}${pathAndQuery}`.split('?');
    const given = await send(`${baseUrl}${pathAndQuery}`, {
      method: routes[id].method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': type }) },
      body,
      timeoutMs: CALL_TIMEOUT_MS,
      save: 'accept' in headers ? save : undefined,
    }).catch((error: unknown) => {
      if (error instanceof Incomplete) {
        throw new ServiceUnavailable(`${baseUrl} broke the export off. The output is incomplete: try again.`);
      }
      throw new ServiceUnavailable(explainNoAnswer(error, baseUrl, ' Is npm start running?'), { cause: error });
    });
    const { status } = given;
    if (given.text === '' && 'accept' in headers) return { url, status, answer: { code: 0 } };
    const answer = status === 404 ? undefined : parseAnswer(given.text);
    if (answer !== undefined) return { url, status, answer };
    const fault = explainStrangeAnswer(url, given);
    throw status >= 500 ? new ServiceUnavailable(fault) : new CommandFault('unreachable', fault);
  }
}

/** Lists the faults of a refusal, one per line. The message already has a single fault, or those of a sync batch. */
function listFaults(message = '', faults: FailureBody['faults'] = []): string {
  if (faults.length < 2 || message.includes(faults[1]!.message)) return '';
  return `\n${formatFields(faults.map(({ path, message }) => [path, message]))}`;
}

/** Fields that identify an answer of Lockstep: one of the envelope, two of the token endpoint. */
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

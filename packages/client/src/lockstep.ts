import { Api, type RequestOf } from './api.ts';
import {
  type Answer,
  type Connection,
  DEFAULT_TIMEOUT_MS,
  encode,
  Pauses,
  perform,
  settingsOf,
  unusable,
} from './calls.ts';
import type { Event, MemberOperationId, Operations, OrderOperationId } from './contract.ts';
import { LockstepError } from './error.ts';
import type { CallOptions, LockstepOptions, User } from './options.ts';
import { Token } from './tokens.ts';

/** Identifies a batch of an application. */
export interface BatchKey {
  channelCode: string;
  channelOrderId: string;
}
type Batch = RequestOf<'createBatchOrder'>['body'];
type Result = Operations['getBatchResult']['data'];

/** The longest wait of a call for the outcome of a batch or the next event (rules 6.4). */
const MAX_WAIT_SECONDS = 30;

/**
 * A client of Lockstep for one application. Use one for all calls of a process: they share its token.
 *
 * @example
 * ```ts
 * const lockstep = new Lockstep({ baseUrl, appKey, appSecret });
 * const { succeeded, failed } = await lockstep.orders.submitAndWait(batch);
 * ```
 */
export class Lockstep extends Api<OrderOperationId> {
  /** Batches of orders. */
  readonly orders: Orders;
  /** The address, without a trailing slash. */
  readonly baseUrl: string;
  readonly #connection: Connection;
  /** For the token endpoint, which needs no token. */
  readonly #open: Connection;
  readonly #client: { client_id: string; client_secret: string };
  readonly #token: Token;

  /** Calls nothing. Throws a TypeError if the address is none, or the credentials are missing. */
  constructor({ baseUrl, appKey, appSecret, ...options }: LockstepOptions) {
    const open = { baseUrl: readBaseUrl(baseUrl), appKey, options };
    if (!appKey || !appSecret) throw new TypeError('appKey and appSecret must be given');
    const client = { client_id: appKey, client_secret: appSecret };
    const token = new Token(open, { grant_type: 'client_credentials', ...client });
    const connection = {
      ...open,
      logIn: async (signal: AbortSignal | undefined) => ({ authorization: `Bearer ${await token.get(signal)}` }),
      forget: ({ authorization = '' }: Record<string, string>) => token.forget(authorization.slice('Bearer '.length)),
    };
    super(connection);
    this.baseUrl = open.baseUrl;
    this.#connection = connection;
    this.#open = open;
    this.#client = client;
    this.#token = token;
    this.orders = new Orders(this, connection);
  }

  /**
   * Follows the event feed: gives each event after `after`, waits for the next ones, and never ends by itself. While
   * the service can't be reached, it waits and goes on. Store the `id` of each event that you have handled, and
   * continue after it. `latest`: only events from now on; absent: all stored ones. To read the stored events only, use
   * `list('getEvents')`. Only `options.signal` ends a wait.
   *
   * @throws LockstepError if the call is refused, or the reason of `options.signal`
   * @example
   * ```ts
   * for await (const event of lockstep.events({ after: lastId })) {
   *   if (event.type === 'batch.completed') console.log(event.data.channelOrderId, event.data.failed);
   *   lastId = event.id;
   *   break;
   * }
   * ```
   */
  async *events({ after }: { after?: string | undefined } = {}, options: CallOptions = {}) {
    const settings = settingsOf(this.#connection, options);
    for (let position = after; ; ) {
      // The first call only learns the position: if it waited, and its answer was lost, the next one would skip events.
      const query = { after: position, waitSeconds: position === 'latest' ? 0 : MAX_WAIT_SECONDS };
      const read = () => this.call('getEvents', { query }, waiting(settings));
      const { events, lastId } = await outlast(settings, read);
      for (const event of events) yield event as Event;
      if (events.length > 0 && lastId === position) {
        throw unusable(this.#connection, 'getEvents', 'answer_foreign', 'continues where it began');
      }
      // Null: there was no event yet, so none is skipped from the beginning on.
      position = lastId ?? (position === 'latest' ? undefined : position);
    }
  }

  /**
   * Returns the member center of an enterprise for one of its administrators. It logs in with the first call. Use one
   * for all calls of the user.
   *
   * @example
   * ```ts
   * const members = lockstep.asUser({ enterpriseGlobalId, account, password });
   * for await (const employee of members.list('listEmployees')) console.log(employee.userName);
   * ```
   */
  asUser({ enterpriseGlobalId, account: username, password }: User): Api<MemberOperationId> {
    const application = this.#token;
    const user = new Token(this.#open, { grant_type: 'password', ...this.#client, username, password });
    const logIn = async (signal: AbortSignal | undefined) => {
      const [clientToken, userToken] = await Promise.all([application.get(signal), user.get(signal)]);
      return { authorization: `Bearer ${clientToken}`, clientToken, userToken };
    };
    const forget = ({ clientToken, userToken }: Record<string, string>) => {
      application.forget(clientToken);
      user.forget(userToken);
    };
    return new Api<MemberOperationId>({ ...this.#connection, logIn, forget }, { enterpriseGlobalId });
  }
}

/** Batches of orders: submit them, and learn what became of them. */
export class Orders {
  readonly #api: Api<OrderOperationId>;
  readonly #connection: Connection;

  /** Only the client creates these. */
  constructor(api: Api<OrderOperationId>, connection: Connection) {
    this.#api = api;
    this.#connection = connection;
  }

  /**
   * Submits a batch. An `async` batch is then stored, and its orders take effect later; a `sync` one has taken effect.
   * The same content under the same `channelOrderId` takes effect only once, however often you submit it.
   *
   * @returns the ids of its orders, in the order of `orderList`
   * @throws LockstepError; of a refused `sync` batch, `faults` are the failed orders
   * @example
   * ```ts
   * const [first] = await lockstep.orders.submit(batch);
   * console.log(first?.licenseOrderId);
   * ```
   */
  async submit(batch: Batch, options?: CallOptions): Promise<Operations['createBatchOrder']['data']> {
    return await this.#api.call('createBatchOrder', { body: batch }, options);
  }

  /**
   * Submits an async batch, and waits until all its orders have an outcome, as `wait` does.
   *
   * @returns its totals and the results of all its orders
   * @example
   * ```ts
   * const { orders } = await lockstep.orders.submitAndWait(batch, { signal: AbortSignal.timeout(600_000) });
   * for (const { sequence, state, message } of orders) console.log(sequence, state, message);
   * ```
   */
  async submitAndWait(batch: Exclude<Batch, Uint8Array>, options?: CallOptions): Promise<Result> {
    await this.submit(batch, options);
    return await this.wait(batch, options);
  }

  /**
   * Waits until all orders of a batch have an outcome, however long that takes, also while the service can't be
   * reached.
   *
   * @returns its totals and the results of all its orders
   * @example
   * ```ts
   * const { state } = await lockstep.orders.wait({ channelCode, channelOrderId });
   * ```
   */
  async wait(key: BatchKey, options: CallOptions = {}): Promise<Result> {
    const query = { ...keyOf(key), limit: 1, waitSeconds: MAX_WAIT_SECONDS };
    const settings = settingsOf(this.#connection, options);
    const read = () => this.#api.call('getBatchResult', { query }, waiting(settings));
    let result: Result;
    do result = await outlast(settings, read);
    while (result.state !== 'completed');
    const orders: Result['orders'] = [];
    for await (const order of this.results(key, options)) orders.push(order);
    return { ...result, orders, nextCursor: null };
  }

  /**
   * Returns the totals of a batch as they are now, and the first of its orders.
   *
   * @example
   * ```ts
   * const { state, pending } = await lockstep.orders.result({ channelCode, channelOrderId });
   * ```
   */
  async result(key: BatchKey, options?: CallOptions): Promise<Result> {
    return await this.#api.call('getBatchResult', { query: keyOf(key) }, options);
  }

  /**
   * Reads the results of the orders of a batch, in the order of `orderList`: all, or those in one state.
   *
   * @example
   * ```ts
   * for await (const order of lockstep.orders.results({ channelCode, channelOrderId, state: 'failed' })) {
   *   console.log(order.sequence, order.cause, order.message);
   * }
   * ```
   */
  results({ state, ...key }: BatchKey & { state?: 'pending' | 'succeeded' | 'failed' }, options?: CallOptions) {
    return this.#api.list('getBatchResult', { query: { ...keyOf(key), state } }, options);
  }

  /**
   * Shows what each order of a batch would do now, and changes nothing. `ignoredFields` are those that the service does
   * not know.
   *
   * @example
   * ```ts
   * const { orders } = await lockstep.orders.preview(batch);
   * console.log(orders.filter(({ state }) => state === 'failed').map(({ message }) => message));
   * ```
   */
  async preview(batch: Batch, options?: CallOptions) {
    const call = { operation: 'previewBatchOrder', body: encode(batch) } as const;
    const answer = (await perform(this.#connection, call, options)) as Answer;
    const { data: orders, ignoredFields } = answer as { ignoredFields: string[] } & Answer;
    return { orders: orders as Operations['previewBatchOrder']['data'], ignoredFields };
  }

  /**
   * Cancels the pending orders of an async batch. Those with an outcome keep it.
   *
   * @example
   * ```ts
   * const { cancelled, finished } = await lockstep.orders.cancel({ channelCode, channelOrderId });
   * ```
   */
  async cancel(key: BatchKey, options?: CallOptions): Promise<Operations['cancelBatchOrder']['data']> {
    return await this.#api.call('cancelBatchOrder', { body: keyOf(key) }, options);
  }
}

/** A batch is a key with more fields. */
const keyOf = ({ channelCode, channelOrderId }: BatchKey): BatchKey => ({ channelCode, channelOrderId });

/** Repeats a call that waits for news until the service answers, however long it is away. */
async function outlast<Value>(settings: CallOptions, call: () => Promise<Value>): Promise<Value> {
  const pauses = new Pauses(settings);
  while (true) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof LockstepError) || !error.isRetryable) throw error;
      await pauses.wait(error, 'until the service answers');
    }
  }
}

/** The options of a call that waits for news: what it waits comes on top of its time. */
const waiting = ({ timeoutMs = DEFAULT_TIMEOUT_MS, ...options }: CallOptions): CallOptions => ({
  ...options,
  timeoutMs: timeoutMs + MAX_WAIT_SECONDS * 1_000,
});

/** Returns the address without a trailing slash. Does not repeat a wrong one: it may contain a password. */
function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (isPlain && ['http:', 'https:'].includes(url.protocol)) return url.href.replace(/\/+$/, '');
  throw new TypeError('baseUrl must be http://host:port or https://host, without a user or a query');
}

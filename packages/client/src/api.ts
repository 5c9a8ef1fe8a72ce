import {
  type Answer,
  type Call,
  type Connection,
  DEFAULT_MAX_RETRIES,
  EXPORT_TYPES,
  encode,
  explain,
  Pauses,
  perform,
  placeOf,
  settingsOf,
  unusable,
} from './calls.ts';
import { followerOf, type Operations, routes } from './contract.ts';
import { Exchange, NoAnswer } from './exchange.ts';
import type { CallOptions } from './options.ts';

type OperationId = keyof Operations;
/** JSON as bytes, which is sent unchanged, or what becomes JSON. */
type Sent<Body> = Body extends undefined ? undefined : Body | Uint8Array;

/** What a call of an operation sends: the parameters of its path, its query and its body. */
export type RequestOf<Id extends OperationId> = Operations[Id]['request'] extends { body: infer Body }
  ? Omit<Operations[Id]['request'], 'body'> & { body: Sent<Body> }
  : Operations[Id]['request'];
/** What an operation returns. */
export type DataOf<Id extends OperationId> = Operations[Id]['data'];

/** The operations that are lists. */
export type ListId = {
  [Id in OperationId]: (typeof routes)[Id] extends { list: unknown } ? Id : never;
}[OperationId];
/** An entry of a list. */
export type EntryOf<Id extends OperationId> = (typeof routes)[Id] extends { list: { rows: readonly [infer Name] } }
  ? EntryIn<DataOf<Id>, Name>
  : EntryIn<DataOf<Id>, never>;
/** Some lists answer whole or by page, as they are asked. */
type EntryIn<Data, Name> = Data extends readonly (infer Entry)[]
  ? Entry
  : Name extends keyof Data
    ? EntryIn<Data[Name], never>
    : never;

/** The arguments of a call; the request can be left out if nothing in it is required. */
export type Arguments<Id extends OperationId> = Given<RequestOf<Id>>;
type Given<Request> =
  Partial<Request> extends Request
    ? [request?: Request, options?: CallOptions]
    : [request: Request, options?: CallOptions];

/** The arguments of a list, whose pages the client asks for by itself. */
export type ListArguments<Id extends ListId> = Given<
  Omit<RequestOf<Id>, 'query'> &
    (Partial<ListQuery<Id>> extends ListQuery<Id> ? { query?: ListQuery<Id> } : { query: ListQuery<Id> })
>;
type Query<Id extends OperationId> = NonNullable<Operations[Id]['request']['query']>;
type ListQuery<Id extends ListId> = Omit<Query<Id>, keyof (typeof routes)[Id]['list']['page']> & Partial<Query<Id>>;

/** Every operation of a module, by its operationId in `/docs`. */
export class Api<Id extends OperationId> {
  readonly #connection: Connection;
  readonly #params: Readonly<Record<string, string>>;

  /** Only the client creates these. `params` are in all paths. */
  constructor(connection: Connection, params: Readonly<Record<string, string>> = {}) {
    this.#connection = connection;
    this.#params = params;
  }

  /**
   * Calls an operation, and returns its data. See CallOptions for when and how often the call is repeated.
   *
   * @throws LockstepError, or the reason of `options.signal`
   * @example
   * ```ts
   * const asset = await lockstep.call('getAsset', { params: { assetNum } });
   * console.log(asset.licenseType, asset.products.length);
   * ```
   */
  async call<Called extends Id>(operation: Called, ...[request, options]: Arguments<Called>): Promise<DataOf<Called>> {
    const answer = await perform(this.#connection, this.#prepare(operation, request), options);
    return (answer as Answer).data as DataOf<Called>;
  }

  /**
   * Reads a list, entry by entry. Gets the next page when you have taken the entries of the last one, and goes on where
   * it was if a page fails for a while or the token is revoked in between. `query.limit`, or where lists have it
   * `query.pageSize`, is the size of a page, not of the list: to read fewer entries, leave the loop.
   *
   * @throws LockstepError, or the reason of `options.signal`
   * @example
   * ```ts
   * for await (const asset of lockstep.list('listAssets', { query: { channelCode: 'demo', validity: 'expired' } })) {
   *   console.log(asset.assetNum, asset.customerName);
   * }
   * ```
   */
  async *list<Listed extends Id & ListId>(
    operation: Listed,
    ...[request, options]: ListArguments<Listed>
  ): AsyncGenerator<EntryOf<Listed>, void, undefined> {
    const call = this.#prepare(operation, request);
    const { list } = routes[operation];
    const [field] = list.rows as readonly string[];
    let next: Readonly<Record<string, unknown>> | undefined = {};
    while (next !== undefined) {
      const query: Readonly<Record<string, unknown>> = { ...list.page, ...call.query, ...next };
      const { data } = (await perform(this.#connection, { ...call, query }, options)) as Answer;
      const page = data as Record<string, unknown>;
      yield* (field === undefined || Array.isArray(page) ? page : page[field]) as EntryOf<Listed>[];
      next = followerOf(page);
      if (next !== undefined && Object.entries(next).every(([name, value]) => query[name] === value)) {
        throw unusable(this.#connection, operation, 'answer_foreign', 'continues where it began');
      }
    }
  }

  /**
   * Exports a list as CSV or as JSON lines, row by row, as text. Much faster than `list` for many entries. If the
   * export breaks off, the client begins it again and goes on after the last row that you have.
   *
   * @throws LockstepError, also if the last row has changed meanwhile; or the reason of `options.signal`
   * @example
   * ```ts
   * let csv = '';
   * for await (const row of lockstep.export('csv', 'listAssets', { query: { channelCode: 'demo' } })) csv += row;
   * ```
   */
  async *export<Listed extends Id & ListId>(
    format: keyof typeof EXPORT_TYPES,
    operation: Listed,
    ...[request, options = {}]: ListArguments<Listed>
  ): AsyncGenerator<string, void, undefined> {
    const call = this.#prepare(operation, request);
    const headers = { accept: EXPORT_TYPES[format] };
    const settings = settingsOf(this.#connection, options);
    let last: string | undefined;
    let pauses = new Pauses(settings);
    for (let failures = 0; ; ) {
      const exchange = await perform(this.#connection, { ...call, headers }, options);
      if (!(exchange instanceof Exchange)) {
        throw unusable(this.#connection, operation, 'answer_foreign', `is JSON instead of ${format}`);
      }
      let isNew = last === undefined;
      try {
        for await (const row of rowsOf(exchange.chunks(), format)) {
          if (isNew) {
            yield row;
            last = row;
            failures = 0;
            pauses = new Pauses(settings);
          } else {
            isNew = row === last;
          }
        }
        if (isNew) return;
        const what = 'broke off, and its last row has changed since: begin again';
        throw unusable(this.#connection, operation, 'answer_incomplete', what);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        const broken = explain(placeOf(this.#connection, operation), error);
        if (failures >= (settings.maxRetries ?? DEFAULT_MAX_RETRIES)) throw broken;
        failures += 1;
        await pauses.wait(broken, 'going on after the last row');
      } finally {
        exchange.close();
      }
    }
  }

  #prepare(operation: Id, request: unknown): Call {
    // JavaScript checks no types.
    if (!Object.hasOwn(routes, operation)) throw new TypeError(`There is no operation ${operation}; /docs lists them`);
    const { params, query, body } = (request ?? {}) as { params?: object; query?: object; body?: unknown };
    return { operation, params: { ...params, ...this.#params }, query: { ...query }, body: encode(body) };
  }
}

/** Splits an export into its rows, each with its line end. A quoted value of CSV may have line ends of its own. */
async function* rowsOf(chunks: AsyncIterable<string>, format: keyof typeof EXPORT_TYPES): AsyncGenerator<string> {
  let row = '';
  for await (const chunk of chunks) {
    for (const line of chunk.split(/(?<=\n)/)) {
      row += line;
      const isWhole = format === 'ndjson' || row.split('"').length % 2 === 1;
      if (!line.endsWith('\n') || !isWhole) continue;
      yield row;
      row = '';
    }
  }
  if (row !== '') throw new NoAnswer(false, new Error('the last row is cut off'));
}

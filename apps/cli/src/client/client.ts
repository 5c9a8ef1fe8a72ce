import {
  type Api,
  type Arguments,
  type BatchOrder,
  type CallOptions,
  type DataOf,
  type EntryOf,
  type ListArguments,
  type ListId,
  Lockstep,
  LockstepError,
  type MemberOperationId,
  type OrderOperationId,
  type User,
} from '@lockstep/client';
import { CommandFault, type FaultKind } from '../output/status.ts';
import { formatFields } from '../output/table.ts';
import { explainNoAnswer, nodeFetch } from './http.ts';

/** The operations that commands call. */
export type CalledId = OrderOperationId | MemberOperationId;

export interface ClientOptions {
  baseUrl: string;
  appKey: string;
  appSecret: string;
  /** An administrator, for calls of the member center. */
  user?: User;
}

/** Longer than any call takes, its body included, even through a proxy. */
const CALL_TIMEOUT_MS = 90_000;

/** The client library, for commands: it throws what a command ends with, and repeats nothing by itself. */
export class OrderClient {
  /** Without explanations of its errors. */
  readonly lockstep: Lockstep;
  readonly #members: Api<MemberOperationId> | undefined;

  /** Throws a CommandFault if the address is none. It does not repeat the address, which may contain a password. */
  constructor({ user, ...service }: ClientOptions) {
    try {
      this.lockstep = new Lockstep({ ...service, fetch: nodeFetch, timeoutMs: CALL_TIMEOUT_MS, maxRetries: 0 });
    } catch (error) {
      throw new CommandFault('usage', `--base-url (LOCKSTEP_BASE_URL): ${(error as Error).message}.`);
    }
    this.#members = user && this.lockstep.asUser(user);
  }

  get baseUrl(): string {
    return this.lockstep.baseUrl;
  }

  /** Calls an operation. Returns `data` of the answer; of a call for many of which all failed, what became of each. */
  async call<Id extends CalledId>(id: Id, ...args: Arguments<Id>): Promise<DataOf<Id>> {
    try {
      return await this.#api.call(id, ...args);
    } catch (error) {
      if (error instanceof LockstepError && error.data !== undefined) return error.data as DataOf<Id>;
      throw this.explain(error);
    }
  }

  /** Reads a list, entry by entry. */
  async *list<Id extends ListId>(id: Id, ...args: ListArguments<Id>): AsyncGenerator<EntryOf<Id>> {
    try {
      yield* this.#api.list(id, ...args);
    } catch (error) {
      throw this.explain(error);
    }
  }

  /** Exports a list, row by row (rules 1.1). */
  async *export<Id extends ListId>(
    format: 'csv' | 'ndjson',
    id: Id,
    ...args: ListArguments<Id>
  ): AsyncGenerator<string> {
    let hasRows = false;
    try {
      for await (const row of this.#api.export(format, id, ...args)) {
        hasRows = true;
        yield row;
      }
    } catch (error) {
      if (!hasRows || !(error instanceof LockstepError)) throw this.explain(error);
      throw new CommandFault(
        'unreachable',
        `${this.baseUrl} broke the export off. The output is incomplete: try again.`,
      );
    }
  }

  /** Shows what a batch would do. */
  async preview(batch: BatchOrder | Uint8Array, options?: CallOptions) {
    return await this.lockstep.orders.preview(batch, options).catch((error: unknown) => {
      throw this.explain(error);
    });
  }

  get #api(): Api<CalledId> {
    return (this.#members ?? this.lockstep) as Api<CalledId>;
  }

  /**
   * Turns an error of the library into what a command ends with. If a refusal has several faults, the message has a
   * line for each after the first line.
   */
  explain(error: unknown): unknown {
    if (!(error instanceof LockstepError)) return error;
    const { operation, url, code, cause, message, status = 0, source } = error;
    const end = (kind: FaultKind, text: string) => new CommandFault(kind, text, { cause: error });
    if (cause === 'connection_failed' || cause === 'timed_out') {
      const reason = cause === 'timed_out' ? { code: 'NO_ANSWER' } : source;
      return end('unreachable', explainNoAnswer(reason, this.baseUrl, ' Is npm start running?'));
    }
    if (code === '') return end('unreachable', message);
    if (status === 404) {
      return end(
        'unreachable',
        `${url} answered HTTP 404: ${message} Set --base-url to the address of Lockstep itself.`,
      );
    }
    if (operation === 'issueToken') {
      const fault = `${url} refused the credentials with ${cause}: ${message}`;
      return end(status >= 500 ? 'unreachable' : 'refused', fault);
    }
    const fault = `${url} refused the call with ${code} (${cause}): ${message}`;
    if (code === '500') return end('unreachable', fault);
    const isOfOrders = operation === 'createBatchOrder' || operation === 'previewBatchOrder';
    const kind = cause.endsWith('_not_found') && !isOfOrders ? 'notFound' : 'refused';
    return end(kind, `${fault}${listFaults(error)}`);
  }
}

/** Lists the faults of a refusal, one per line. The message already has a single fault, or those of a sync batch. */
function listFaults({ message, faults }: LockstepError): string {
  if (faults.length < 2 || message.includes(faults[1]!.message)) return '';
  return `\n${formatFields(faults.map(({ path, message }) => [path, message]))}`;
}

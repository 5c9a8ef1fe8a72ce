import { randomUUID } from 'node:crypto';
import { PasswordHasher } from '@lockstep/access';
import {
  type ConsoleCall,
  type ConsoleData,
  type ConsoleOperationId,
  consolePath,
  findConsoleOperation,
  type OperatorRole,
} from '@lockstep/contract/console';
import { createOperator, newCommand } from '@lockstep/operators';
import { type Answer, readPages } from '../api.ts';
import type { Stack } from '../stack.ts';

/** An operator's name and password. */
export interface OperatorLogin {
  name: string;
  password: string;
}

const passwords = new PasswordHasher();

/** Creates an operator with a role and a name of its own. */
export function newOperator({ db }: Pick<Stack, 'db'>, role: OperatorRole): Promise<OperatorLogin> {
  return createOperator({ db, passwords }, { name: `${role}-${randomUUID().slice(0, 8)}`, role }, newCommand());
}

/** Calls the console's operations as the browser of an operator does. */
export class ConsoleClient {
  readonly baseUrl: string;
  readonly login: OperatorLogin;
  /** The session cookie that the service set last; empty before login and after logout. */
  cookie = '';

  constructor(baseUrl: string, login: OperatorLogin) {
    this.baseUrl = baseUrl;
    this.login = login;
  }

  /** Logs in as a new operator with a role. */
  static async logIn(stack: Pick<Stack, 'db' | 'baseUrl'>, role: OperatorRole): Promise<ConsoleClient> {
    const client = new ConsoleClient(stack.baseUrl, await newOperator(stack, role));
    await client.call('logIn', { body: client.login });
    return client;
  }

  /** Calls an operation, whatever the answer. `headers` are added; an empty text removes a header. */
  async send<Id extends ConsoleOperationId>(
    id: Id,
    call: Partial<ConsoleCall<Id>> & { rawBody?: string | Uint8Array<ArrayBuffer> } = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const { params, query, body, rawBody } = call as Parts;
    const { method } = findConsoleOperation(id);
    const search = new URLSearchParams(
      Object.entries(query ?? {}).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    );
    const sent = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const all = {
      'x-lockstep-console': 'user',
      ...(this.cookie === '' ? {} : { cookie: this.cookie }),
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const response = await fetch(`${this.baseUrl}${consolePath(id, params)}?${search}`, {
      method,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
      ...(sent === undefined ? {} : { body: sent }),
    });
    const cookie = response.headers.getSetCookie().at(-1);
    if (cookie !== undefined) this.cookie = /^[^;]*=;/.test(cookie) ? '' : cookie.split(';', 1)[0]!;
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  /** Calls an operation that must succeed. Returns its `data` as the contract's schema parses it. */
  async call<Id extends ConsoleOperationId>(id: Id, call: Partial<ConsoleCall<Id>> = {}): Promise<ConsoleData<Id>> {
    const { status, body } = await this.send(id, call);
    if (status !== 200) throw new Error(`${id} was refused with ${status}: ${JSON.stringify(body)}`);
    return findConsoleOperation(id).data.parse(body.data) as ConsoleData<Id>;
  }

  /** Calls a list until its last page. Returns the `data` of each page. */
  async pagesOf<Id extends ConsoleOperationId>(id: Id, call: Partial<ConsoleCall<Id>>): Promise<ConsoleData<Id>[]> {
    return await readPages(async (cursor) => {
      const query: object = { ...(call as Parts).query, cursor };
      const page = await this.call(id, { ...call, query } as Partial<ConsoleCall<Id>>);
      return page as ConsoleData<Id> & { nextCursor: string | null };
    });
  }

  /** The changes of a target in the audit log, newest first. Only support and admins read it. */
  async changesOf(target: string): Promise<{ action: string; before: unknown; after: unknown }[]> {
    const { entries } = await this.call('listAuditLog', { query: { target } });
    return entries.map(({ action, before, after }) => ({ action, before, after }));
  }
}

interface Parts {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  rawBody?: string | Uint8Array<ArrayBuffer>;
}

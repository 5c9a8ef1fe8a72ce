import { operations } from 'virtual:operations';
import type { ConsoleCall, ConsoleData, ConsoleOperationId } from '@lockstep/contract/console';
import { initiator } from './activity.ts';
import { CallFailure } from './call-failure.ts';
import { noteLogOut } from './session-events.ts';

interface AnyCall {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** A body that is sent byte for byte, such as a dropped file. */
export class RawJson {
  readonly content: Blob | string;

  constructor(content: Blob | string) {
    this.content = content;
  }
}

/** The parts of a call. The body may also be serialized JSON. */
export type CallOf<Id extends ConsoleOperationId> = {
  [Part in keyof ConsoleCall<Id>]: Part extends 'body' ? ConsoleCall<Id>[Part] | RawJson : ConsoleCall<Id>[Part];
};

function operationUrl<Id extends ConsoleOperationId>(id: Id, call: CallOf<Id>): string {
  const { params = {}, query = {} } = call as AnyCall;
  const path = operations[id].path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const url = new URL(`api${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** Calls a console operation and returns its data. Throws CallFailure. */
export async function callOperation<Id extends ConsoleOperationId>(
  id: Id,
  call: CallOf<Id>,
  signal?: AbortSignal,
): Promise<ConsoleData<Id>> {
  const { body } = call as AnyCall;
  const headers: Record<string, string> = { 'x-lockstep-console': initiator() };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await reach(operationUrl(id, call), {
    method: operations[id].method,
    headers,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: body instanceof RawJson ? body.content : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  return (await readAnswer(response, id)) as ConsoleData<Id>;
}

/** Calls an operation that responds with a file, and returns the file. Throws CallFailure. */
export async function downloadOperation<Id extends ConsoleOperationId>(id: Id, call: CallOf<Id>): Promise<Blob> {
  const headers = { 'x-lockstep-console': initiator() };
  const response = await reach(operationUrl(id, call), { headers, credentials: 'same-origin' });
  if (response.status !== 200) await readAnswer(response, id);
  return await response.blob();
}

async function reach(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new CallFailure(0, 'unreachable', String(error), null);
  }
}

async function readAnswer(response: Response, id: ConsoleOperationId): Promise<unknown> {
  const requestId = response.headers.get('x-request-id');
  const answer = (await response.json().catch(() => null)) as {
    code?: number | string;
    cause?: string;
    message?: string;
    faults?: CallFailure['faults'];
    data?: unknown;
  } | null;
  if (response.status === 200 && answer?.code === 0) return answer.data;
  if (response.status === 401 && operations[id].role !== 'anybody') noteLogOut('here');
  throw new CallFailure(
    response.status,
    answer?.cause ?? null,
    answer?.message ?? `${response.status} ${response.statusText}`,
    requestId,
    answer?.faults,
  );
}

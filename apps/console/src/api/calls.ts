import { operations } from 'virtual:operations';
import type { ConsoleCall, ConsoleData, ConsoleOperationId } from '@lockstep/contract/console';
import { writeSearch } from './search.ts';

/** A call that the service refused or that did not reach it. */
export class CallFailure extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The contract's cause; null if the response did not come from the service. */
  override readonly cause: string | null;
  /** The values in the message. */
  readonly args: readonly string[];
  /** Identifies the call in the service's log; null if there was no response. */
  readonly requestId: string | null;
  /** The invalid fields; empty if the call was refused for another reason. */
  readonly faults: readonly { path: string; message: string; cause: string; args: readonly string[] }[];

  constructor(
    status: number,
    requestId: string | null,
    { cause, message, args = [], faults = [] }: Partial<CallFailure>,
  ) {
    super(message);
    this.name = 'CallFailure';
    this.status = status;
    this.cause = cause ?? null;
    this.args = args;
    this.requestId = requestId;
    this.faults = faults;
  }
}

interface AnyCall {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** The parts of a call. The body may also be a file of JSON, which is sent byte for byte. */
export type CallOf<Id extends ConsoleOperationId> = {
  [Part in keyof ConsoleCall<Id>]: Part extends 'body' ? ConsoleCall<Id>[Part] | Blob : ConsoleCall<Id>[Part];
};

/** Calls a console operation and returns its data. Throws CallFailure. */
export async function callOperation<Id extends ConsoleOperationId>(
  id: Id,
  call: CallOf<Id>,
  signal?: AbortSignal,
): Promise<ConsoleData<Id>> {
  return (await readAnswer(await reach(id, call, signal), id)) as ConsoleData<Id>;
}

/** Calls an operation that responds with a file, and returns the file. Throws CallFailure. */
export async function downloadOperation<Id extends ConsoleOperationId>(id: Id, call: CallOf<Id>): Promise<Blob> {
  const response = await reach(id, call);
  if (response.status !== 200) await readAnswer(response, id);
  return await response.blob();
}

/**
 * Reads all entries of a list as CSV. `onBytes` gets the number of bytes so far. Throws CallFailure, with the cause
 * `incomplete` if the transfer breaks.
 */
export async function exportOperation<Id extends ConsoleOperationId>(
  id: Id,
  call: CallOf<Id>,
  onBytes: (bytes: number) => void,
): Promise<{ file: Blob; name: string }> {
  const response = await reach(id, call, undefined, { accept: 'text/csv' });
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !type.startsWith('text/csv')) await readAnswer(response, id);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      parts.push(value!);
      bytes += value!.length;
      onBytes(bytes);
    }
  } catch (error) {
    throw new CallFailure(0, response.headers.get('x-request-id'), { cause: 'incomplete', message: String(error) });
  }
  const [, name = 'export.csv'] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return { file: new Blob(parts, { type }), name };
}

async function reach<Id extends ConsoleOperationId>(
  id: Id,
  call: CallOf<Id>,
  signal?: AbortSignal,
  accepted: { accept?: string } = {},
): Promise<Response> {
  const { params = {}, query = {}, body } = call as AnyCall;
  const path = operations[id].path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  try {
    return await fetch(new URL(`api${path}${writeSearch(query)}`, document.baseURI), {
      method: operations[id].method,
      headers: { 'x-lockstep-console': initiator(), ...type, ...accepted },
      credentials: 'same-origin',
      body: body === undefined || body instanceof Blob ? (body ?? null) : JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new CallFailure(0, null, { cause: 'unreachable', message: String(error) });
  }
}

async function readAnswer(response: Response, id: ConsoleOperationId): Promise<unknown> {
  const requestId = response.headers.get('x-request-id');
  type Answer = Partial<CallFailure> & { code?: number | string; data?: unknown };
  const answer = (await response.json().catch(() => null)) as Answer | null;
  if (response.status === 200 && answer?.code === 0) return answer.data;
  if (response.status === 401 && operations[id].role !== 'anybody') noteLogOut('here');
  const message = `${response.status} ${response.statusText}`;
  throw new CallFailure(response.status, requestId, { message, ...answer });
}

/** After this long without input, the operator counts as away. */
const AWAY_AFTER_MS = 60_000;

let lastActMs = Date.now();
for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const) {
  window.addEventListener(event, noteAct, { capture: true, passive: true });
}

function noteAct(): void {
  lastActMs = Date.now();
}

/**
 * Returns whether a call counts as the operator's. Automatic refreshes must not keep the session of an absent operator
 * alive: only calls by a `user` postpone the idle timeout.
 */
function initiator(): 'user' | 'automatic' {
  return Date.now() - lastActMs < AWAY_AFTER_MS ? 'user' : 'automatic';
}

type SessionEvent = 'logged-in' | 'logged-out';

/** Reaches the other tabs of this browser. */
const channel = new BroadcastChannel('lockstep-console');
let notify = (_event: SessionEvent) => {};
channel.addEventListener('message', ({ data }: MessageEvent<SessionEvent>) => notify(data));

/** Makes `listener` the one that is called when the session ends, in any tab, or when another tab starts one. */
export function onSessionEvent(listener: (event: SessionEvent) => void): void {
  notify = listener;
}

/** Reports that the session ended: to this tab, or, after a logout, to all tabs. */
export function noteLogOut(where: 'here' | 'everywhere'): void {
  notify('logged-out');
  if (where === 'everywhere') channel.postMessage('logged-out' satisfies SessionEvent);
}

/** Tells the other tabs that an operator logged in, perhaps another one. */
export function noteLogIn(): void {
  channel.postMessage('logged-in' satisfies SessionEvent);
}

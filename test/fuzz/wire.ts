import { connect } from 'node:net';

/** A call down to its bytes, so that it can be wrong in every way that a socket allows. */
export interface Call {
  /** The operation before mutation; a change of path or method may hit another one. */
  operationId: string;
  method: string;
  /** As it stands in the request line, encoded. */
  path: string;
  /** Names and values, encoded when the call is written; a value that is null has no `=`. */
  query: [name: string, value: string | null][];
  headers: [name: string, value: string][];
  body: Buffer | null;
  /** How the body's length is told. `lie`: so many bytes more or fewer than there are; `both`: in both ways at once. */
  framing: { kind: 'length' | 'chunked' | 'bad chunks' | 'both' } | { kind: 'lie'; by: number };
  version: string;
  /**
   * So many of its bytes are sent, from the front, before the client leaves; null: all, and it waits for the answer.
   */
  leavesAfter: number | null;
  /** A call that is sent on the same connection right behind it. */
  next: Call | null;
  /** What was changed, for people. */
  changes: string[];
}

export interface WireAnswer {
  status: number;
  headers: Map<string, string>;
  text: string;
}

/** All bytes of a call, with those of the one behind it. */
export function bytesOf(call: Call): Buffer {
  const query = call.query.map(([name, value]) => (value === null ? name : `${name}=${value}`)).join('&');
  const lines = [`${call.method} ${call.path}${query === '' ? '' : `?${query}`} ${call.version}`];
  lines.push(...call.headers.map(([name, value]) => `${name}: ${value}`));
  const parts: Buffer[] = [];
  if (call.body !== null) {
    const { length } = call.body;
    if (call.framing.kind === 'length' || call.framing.kind === 'both') lines.push(`content-length: ${length}`);
    if (call.framing.kind === 'lie') lines.push(`content-length: ${Math.max(0, length + call.framing.by)}`);
    if (/chunk|both/.test(call.framing.kind)) lines.push('transfer-encoding: chunked');
    if (call.framing.kind === 'chunked') parts.push(...chunksOf(call.body));
    else if (call.framing.kind === 'bad chunks') parts.push(Buffer.from('zz\r\n'), call.body);
    else parts.push(call.body);
  }
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const own = Buffer.concat([head, ...parts]);
  return call.next === null ? own : Buffer.concat([own, bytesOf(call.next)]);
}

function chunksOf(body: Buffer): Buffer[] {
  const half = body.length >> 1;
  const chunks = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0);
  const framed = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return [...framed, Buffer.from('0\r\n\r\n')];
}

const PATIENCE_MS = 20_000;

/**
 * Sends a call on a connection of its own. Returns what came back, in order; nothing where the client left. Rejects
 * where an answer does not come or is not HTTP.
 */
export function send(port: number, call: Call): Promise<WireAnswer[]> {
  const bytes = bytesOf(call);
  const expected = call.next === null ? 1 : 2;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received: Buffer = Buffer.alloc(0);
    const done = (outcome: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      outcome();
    };
    const timer = setTimeout(() => done(() => reject(new Error(`no answer in ${PATIENCE_MS} ms`))), PATIENCE_MS);
    const look = (isOver: boolean) => {
      try {
        const answers = parseAnswers(received, call, isOver);
        if (isOver || answers.length >= expected || answers.at(-1)?.headers.get('connection') === 'close') {
          done(() => resolve(answers));
        }
      } catch (error) {
        done(() => reject(error as Error));
      }
    };
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      look(false);
    });
    socket.on('close', () => look(true));
    socket.on('connect', () => {
      if (call.leavesAfter === null) {
        socket.write(bytes);
        // The rest of a body that is shorter than it says never comes.
        if (call.body !== null && call.framing.kind === 'lie' && call.framing.by > 0) socket.end();
        return;
      }
      socket.write(bytes.subarray(0, call.leavesAfter), () => done(() => resolve([])));
    });
  });
}

/** The body as the service reads it: what stands behind the length that it was given is none of it. */
export function bodyRead({ body, framing }: Call): NonNullable<Call['body']> {
  const sent = body!;
  return framing.kind === 'lie' && framing.by < 0 ? sent.subarray(0, Math.max(0, sent.length + framing.by)) : sent;
}

/** The complete answers; the last may go on until the connection closes. */
function parseAnswers(received: Buffer, call: Call, isOver: boolean): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let at = 0;
  while (at < received.length) {
    const end = received.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const [statusLine = '', ...lines] = received.toString('latin1', at, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1]);
    if (!status) throw new Error(`not an answer: ${statusLine}`);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const start = end + 4;
    const hasBody = status >= 200 && !(call.method === 'HEAD' && answers.length === 0);
    const read = hasBody ? readBody(received, start, headers, isOver) : { body: Buffer.alloc(0), end: start };
    if (read === null) break;
    at = read.end;
    if (status >= 200) answers.push({ status, headers, text: read.body.toString('utf8') });
  }
  return answers;
}

interface Body {
  body: Buffer;
  /** Where what comes behind it begins. */
  end: number;
}

/** Reads the body that begins at `start`; null while more of it is to come. */
function readBody(received: Buffer, start: number, headers: Map<string, string>, isOver: boolean): Body | null {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(received, start);
  const length = headers.get('content-length');
  if (length !== undefined) {
    const end = start + Number(length);
    return end <= received.length ? { body: received.subarray(start, end), end } : null;
  }
  return isOver ? { body: received.subarray(start), end: received.length } : null;
}

function readChunks(received: Buffer, start: number): Body | null {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const length = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
    const from = lineEnd + 2;
    at = from + length + 2;
    if (at > received.length) return null;
    if (length === 0) return { body: Buffer.concat(chunks), end: at };
    chunks.push(received.subarray(from, from + length));
  }
}

/** The call as a shell command that sends the same bytes, to reproduce a failure. */
export function reproOf(call: Call, port: number): string {
  const bytes = bytesOf(call).subarray(0, call.leavesAfter ?? undefined);
  const MAX_SHOWN_BYTES = 4_000;
  const shown = bytes.length > MAX_SHOWN_BYTES ? bytes.subarray(0, MAX_SHOWN_BYTES) : bytes;
  const cut = bytes.length > MAX_SHOWN_BYTES ? ` # the first ${MAX_SHOWN_BYTES} of ${bytes.length} bytes` : '';
  const escaped = [...shown]
    .map((byte) => {
      if (byte === 0x0d) return '\\r';
      if (byte === 0x0a) return '\\n';
      if (byte === 0x27 || byte === 0x5c || byte === 0x25 || byte < 0x20 || byte > 0x7e) {
        return `\\x${byte.toString(16).padStart(2, '0')}`;
      }
      return String.fromCharCode(byte);
    })
    .join('');
  const leaves = call.leavesAfter === null ? '' : '   # and then leaves';
  return `printf '${escaped}' | nc 127.0.0.1 ${port}${cut}${leaves}`;
}

import { connect } from 'node:net';

/** A call in terms of its bytes, so that it can be malformed in any way that a socket allows. */
export interface Call {
  /** The operation before mutation. A changed path or method may reach another. */
  operationId: string;
  method: string;
  /** Encoded, as in the request line. */
  path: string;
  /** Encoded names and values. A null value is written without `=`. */
  query: [name: string, value: string | null][];
  headers: [name: string, value: string][];
  body: Buffer | null;
  /** How the body's length is declared. `lie`: off by that many bytes. `both`: by content-length and as chunked. */
  framing: { kind: 'length' | 'chunked' | 'bad chunks' | 'both' } | { kind: 'lie'; by: number };
  version: string;
  /** Number of bytes to send before the client disconnects; null: send all and wait for the answer. */
  leavesAfter: number | null;
  /** A call pipelined on the same connection. */
  next: Call | null;
  /** Descriptions of the mutations, for reports. */
  changes: string[];
}

export interface WireAnswer {
  status: number;
  headers: Map<string, string>;
  text: string;
}

/** Returns the bytes of a call and of the one pipelined after it. */
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
 * Sends a call on a new connection. Returns the answers in order, or none if the client disconnects early. Rejects if
 * an answer times out or isn't HTTP.
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
    const timer = setTimeout(() => done(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`))), PATIENCE_MS);
    const look = (isOver: boolean) => {
      try {
        const answers = parseAnswers(received, call);
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
        // The declared rest of the body never comes, so close the sending side.
        if (call.body !== null && call.framing.kind === 'lie' && call.framing.by > 0) socket.end();
        return;
      }
      socket.write(bytes.subarray(0, call.leavesAfter), () => done(() => resolve([])));
    });
  });
}

/** Parses complete answers, each of which says its length. */
function parseAnswers(received: Buffer, call: Call): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let at = 0;
  while (at < received.length) {
    const end = received.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const [statusLine = '', ...lines] = received.toString('latin1', at, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1]);
    if (!status) throw new Error(`not an HTTP status line: ${statusLine}`);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const hasBody = status >= 200 && !(call.method === 'HEAD' && answers.length === 0);
    const length = headers.get('content-length');
    if (hasBody && length === undefined) throw new Error(`no content-length: ${statusLine}`);
    const start = end + 4;
    at = start + (hasBody ? Number(length) : 0);
    if (at > received.length) break;
    if (status >= 200) answers.push({ status, headers, text: received.toString('utf8', start, at) });
  }
  return answers;
}

/** Returns a shell command that sends the same bytes, to reproduce a failure. */
export function reproOf(call: Call, port: number): string {
  const bytes = bytesOf(call).subarray(0, call.leavesAfter ?? undefined);
  const leaves = call.leavesAfter === null ? '' : '   # then disconnects';
  return `echo ${bytes.toString('base64')} | base64 -d | nc 127.0.0.1 ${port}${leaves}`;
}

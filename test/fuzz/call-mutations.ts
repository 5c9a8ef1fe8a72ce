import { gzipSync } from 'node:zlib';
import { mutateJson, repeatKey, textOf, WILD_VALUES } from './json-mutations.ts';
import type { Random } from './random.ts';
import { bytesOf, type Call } from './wire.ts';

/** Values that mutations draw from. */
interface Sources {
  random: Random;
  /** Tokens of other kinds or other parties, and invalid ones. */
  tokens: readonly string[];
  /** Used nonces. */
  nonces: readonly string[];
  /** Ids and words from the service's answers. */
  words: readonly string[];
  /** Returns a valid call to pipeline after another. */
  another: () => Call;
}

type Mutation = (call: Call, sources: Sources) => void;

const encoded = (value: unknown) => {
  const text = typeof value === 'string' ? value : textOf(value);
  return encodeURIComponent(text.toWellFormed()).slice(0, 4_000);
};
const header = (call: Call, name: string) => call.headers.findIndex(([each]) => each.toLowerCase() === name);

function setHeader(call: Call, name: string, value: string): void {
  const at = header(call, name);
  if (at < 0) call.headers.push([name, value]);
  else call.headers[at] = [name, value];
}

function ofBody(change: (body: Buffer, sources: Sources) => Buffer): Mutation {
  return (call, sources) => {
    call.body = change(call.body ?? Buffer.from('{}'), sources);
    if (header(call, 'content-type') < 0) setHeader(call, 'content-type', 'application/json');
  };
}

const TOKEN_HEADERS = ['authorization', 'clienttoken', 'usertoken'];
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'post', 'FOO', 'PROPFIND'];
const CONTENT_TYPES = [
  ...['text/plain', 'application/json; charset=utf-16', 'application/json;charset=latin1', 'application/jsonx', ''],
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=a', 'application/xml', ';'],
  'a'.repeat(500),
];

const ODD_HEADERS = Object.entries({
  'x-request-id': ['a\tb', 'é'.repeat(40)],
  accept: ['nothing/at-all'],
  'accept-encoding': ['gzip'],
  'content-encoding': ['gzip', 'br'],
  'if-none-match': ['*'],
  range: ['bytes=0-1'],
  cookie: ['a=b'],
  upgrade: ['h2c'],
  te: ['trailers'],
  trailer: ['a'],
  'x-forwarded-for': ['10.0.0.1'],
  'x-a': ['y'.repeat(8_000)],
  host: ['another'],
  expect: ['100-continue'],
  ['__proto__']: ['a'],
}).flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
const BROKEN_HEADERS: [string, string][] = [
  ['a b', 'c'],
  ['', 'c'],
  ['a', 'b\u0000c'],
  ['a', 'b\nc'],
  ['é', 'c'],
];
const BYTE_ORDER_MARKS = ['\xef\xbb\xbf', '\xff\xfe', '\xfe\xff', '\xef\xbb'];
const NO_UTF_8 = ['\xff', '\xc0\x80', '\xed\xa0\x80', '\xf8\x88\x80\x80\x80'];

/** Mutations of a call, all equally likely. */
export const MUTATIONS: Record<string, Mutation> = {
  // Query
  'query: dropped': (call, { random }) => void call.query.splice(random.below(call.query.length), 1),
  'query: twice': (call, { random }) => {
    if (call.query.length > 0) call.query.push([random.oneOf(call.query)[0], random.oneOf(['1', 'a', ''])]);
  },
  'query: misspelled': (call, { random }) => {
    const [name = 'state', value] = random.oneOf([...call.query, ['state', 'failed'], ['after', '5'], ['limit', '1']]);
    const at = random.below(name.length);
    const wrong = [
      name.toUpperCase(),
      name.slice(0, at) + name.slice(at + 1),
      `${name.slice(0, at)}_${name.slice(at)}`,
    ];
    call.query.push([random.oneOf(wrong), value ?? '']);
  },
  'query: wild': (call, { random }) => {
    const at = random.below(call.query.length);
    if (call.query[at] !== undefined) call.query[at] = [call.query[at][0], encoded(random.oneOf(WILD_VALUES))];
  },
  'query: another word': (call, { random, words }) => {
    const at = random.below(call.query.length);
    if (call.query[at] !== undefined) call.query[at] = [call.query[at][0], encoded(random.oneOf(words))];
  },
  'query: broken': (call, { random }) => {
    call.query.push([
      random.oneOf(['a', '', 'g_nonce', 'limit']),
      random.oneOf(['%zz', '%', '%ff', '%00', '+', null, '&&=']),
    ]);
  },
  'query: unknown': (call, { random }) => {
    call.query.push([
      random.oneOf(['__proto__', 'constructor', 'a[b]', 'limit', 'cursor', 'waitSeconds']),
      random.oneOf(['0', '1', 'a']),
    ]);
  },
  'nonce: wrong': (call, { random, nonces }) => {
    const at = call.query.findIndex(([name]) => name === 'g_nonce');
    if (at < 0) return;
    const wrong = ['', 'short', 'x'.repeat(65), 'with%20blank', '%00%00%00%00%00%00%00%00', ...nonces.slice(-20)];
    call.query[at] = ['g_nonce', random.oneOf(wrong)];
  },
  // Path
  'path: wild segment': (call, { random, words }) => {
    const segments = call.path.split('/');
    segments[random.below(segments.length)] = encoded(random.oneOf([...WILD_VALUES, ...words]));
    call.path = `/${segments.join('/')}`.replace(/^\/+/, '/');
  },
  'path: odd': (call, { random }) => {
    const { path } = call;
    call.path = random.oneOf([
      `${path}/`,
      `/${path}`,
      `${path}//`,
      path.toUpperCase(),
      path.replace('/', '/./'),
      ...[`${path}/..`, `${path};a=b`, `${path}%2f`, `${path}%00`, `${path}%zz`, `${path}%c0%af`],
      ...[`${path}/${'a'.repeat(2_000)}`, `${path}#a`],
      path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      '/',
      '*',
      `http://other${path}`,
    ]);
  },
  // Credentials
  'token: missing': (call, { random }) => {
    const name = random.oneOf(TOKEN_HEADERS);
    call.headers = call.headers.filter(([each]) => each.toLowerCase() !== name);
  },
  'token: another': (call, { random, tokens }) => {
    const name = random.oneOf(TOKEN_HEADERS.filter((each) => header(call, each) >= 0).concat('authorization'));
    const token = random.oneOf([...tokens, '', 'x'.repeat(43), 'é', 'a b']);
    setHeader(
      call,
      name,
      name === 'authorization' ? `${random.oneOf(['Bearer', 'bearer', 'Basic', ''])} ${token}` : token,
    );
  },
  'token: twice': (call, { random }) => {
    const known = call.headers.filter(([name]) => TOKEN_HEADERS.includes(name.toLowerCase()));
    if (known.length > 0) call.headers.push(random.oneOf(known));
  },
  // Headers
  'header: content type': (call, { random }) => {
    if (random.isOneIn(4)) call.headers = call.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
    else setHeader(call, 'content-type', random.oneOf(CONTENT_TYPES));
  },
  'header: odd': (call, { random }) => {
    call.headers.push(random.oneOf(ODD_HEADERS));
  },
  'header: too much': (call, { random }) => {
    if (random.isOneIn(2)) call.headers.push(['x-long', 'y'.repeat(20_000)]);
    else for (let at = 0; at < 150; at++) call.headers.push([`x-${at}`, 'y']);
  },
  'header: broken': (call, { random }) => {
    call.headers.push(random.oneOf(BROKEN_HEADERS));
  },
  'header: no host': (call) => {
    call.headers = call.headers.filter(([name]) => name !== 'host');
  },
  'header: expects more': (call) => void call.headers.push(['expect', 'the-unexpected']),
  // Method and version
  'method: another': (call, { random }) => {
    call.method = random.oneOf(METHODS);
  },
  'method: CONNECT': (call) => {
    call.method = 'CONNECT';
  },
  'version: odd': (call, { random }) => {
    call.version = random.oneOf(['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/9', 'http/1.1', '']);
  },
  // Bytes of the body
  'body: none': (call) => {
    call.body = null;
  },
  'body: empty': ofBody((_, { random }) => Buffer.from(random.oneOf(['', '', ' ', '\r\n', '\ufeff', 'null']))),
  'body: empty, of another type': (call, { random }) => {
    call.body = Buffer.alloc(0);
    setHeader(call, 'content-type', random.oneOf(CONTENT_TYPES));
    call.framing = { kind: random.oneOf(['length', 'chunked']) };
  },
  'body: curly quotes': ofBody((body) => Buffer.from(body.toString('utf8').replace(/"([^"]*)"/, '“$1”'))),
  'body: GBK': ofBody((body) => Buffer.from(body.toString('latin1').replace('":"', '":"\xc4\xe3\xba\xc3'), 'latin1')),
  'body: cut': ofBody((body, { random }) => body.subarray(0, random.below(body.length))),
  'body: flipped byte': ofBody((body, { random }) => {
    const copy = Buffer.from(body);
    if (copy.length > 0) copy[random.below(copy.length)]! ^= 1 << random.below(8);
    return copy;
  }),
  'body: more behind': ofBody((body, { random }) =>
    Buffer.concat([body, Buffer.from(random.oneOf(['x', '{}', '\n\n', '\0', ',']))]),
  ),
  'body: byte order mark': ofBody((body, { random }) =>
    Buffer.concat([Buffer.from(random.oneOf(BYTE_ORDER_MARKS), 'latin1'), body]),
  ),
  'body: not UTF-8': ofBody((body, { random }) => {
    const at = random.below(body.length + 1);
    return Buffer.concat([body.subarray(0, at), Buffer.from(random.oneOf(NO_UTF_8), 'latin1'), body.subarray(at)]);
  }),
  'body: UTF-16': ofBody((body) => Buffer.from(body.toString('utf8'), 'utf16le')),
  'body: gzip': (call, sources) => {
    MUTATIONS['body: gzip bytes']!(call, sources);
    call.headers.push(['content-encoding', 'gzip']);
  },
  'body: gzip bytes': ofBody((body) => gzipSync(body)),
  'body: key twice': ofBody((body, { random }) => Buffer.from(repeatKey(body.toString('utf8'), random))),
  // Framing
  framing: (call, { random }) => {
    call.framing = { kind: random.oneOf(['chunked', 'bad chunks', 'both']) };
  },
  'framing: lie': (call, { random }) => {
    call.framing = { kind: 'lie', by: random.oneOf([-2, -1, 1, 10, 1_000_000]) };
  },
  'framing: pipelined': (call, { another }) => {
    call.headers = call.headers.filter(([name]) => name !== 'connection');
    call.next = another();
  },
  'client: leaves': (call, { random }) => {
    // Never send all of it: without waiting for the answer, the client can't know whether a complete call took effect.
    const { length } = bytesOf(call);
    call.leavesAfter = random.isOneIn(3) ? length - 1 : random.below(length);
  },
};

/** Mutates a JSON body one to three times. */
export function mutateBody(call: Call, json: unknown, random: Random): void {
  let body = structuredClone(json);
  for (let left = random.oneOf([1, 1, 1, 2, 3]); left > 0; left--) {
    const mutated = mutateJson(body, random);
    body = mutated.body;
    call.changes.push(mutated.change);
  }
  call.body = Buffer.from(textOf(body));
}

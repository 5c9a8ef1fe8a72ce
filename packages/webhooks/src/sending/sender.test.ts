import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { SELF_SIGNED } from '@lockstep/test/harness/network/self-signed';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  CLOSED,
  explainStatus,
  HEADERS_TOO_LARGE,
  NO_FINAL_STATUS,
  NOT_HTTP,
  NOT_HTTPS,
  REFUSED,
  SELF_SIGNED_CERTIFICATE,
  TIMED_OUT,
  TLS_FAILED,
  UNREACHABLE,
} from './faults.ts';
import { Sender, type SendOutcome } from './sender.ts';

const NEVER = new AbortController().signal;
const servers: Server[] = [];
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
});

/** Listens on this machine and counts connections. */
async function listen(onConnection: (socket: Socket) => void, host = '127.0.0.1') {
  const seen = { connections: 0, closed: 0, requests: '', port: 0 };
  const server = createServer((socket) => {
    seen.connections++;
    socket.on('error', () => {});
    socket.on('close', () => seen.closed++);
    socket.on('data', (data) => {
      seen.requests += data;
    });
    onConnection(socket);
  });
  seen.port = await begin(server, host);
  return seen;
}

/** Has a server listen on any port, and returns the port. */
async function begin(server: Server, host = '127.0.0.1'): Promise<number> {
  servers.push(server);
  await once(server.listen(0, host), 'listening');
  return (server.address() as AddressInfo).port;
}

const post = (url: string) => ({ url, headers: { 'webhook-id': '1' }, body: '{}' });
const anyAddress = new Sender({ allowPrivate: true });
const publicOnly = new Sender({ allowPrivate: false });
/** Sends to a listener, or to a URL. */
const send = (to: { port: number } | string, sender = anyAddress) =>
  sender.send(post(typeof to === 'string' ? to : `http://127.0.0.1:${to.port}/`), NEVER);
/** Responds as soon as a request has begun. */
const answering = (text: string) => (socket: Socket) => socket.once('data', () => socket.write(text));
/** Responds with a text, and then with another one repeatedly, up to a gigabyte. */
async function flood(first: string, part: string) {
  const chunk = Buffer.from(part.repeat(65_536 / part.length));
  const seen: Awaited<ReturnType<typeof listen>> & { written: number } = Object.assign(
    await listen((socket) => {
      const fill = () => {
        while (!socket.destroyed && seen.written < 2 ** 30) {
          seen.written += chunk.length;
          if (!socket.write(chunk)) return;
        }
      };
      socket.once('data', () => {
        socket.write(first);
        fill();
      });
      socket.on('drain', fill);
    }),
    { written: 0 },
  );
  return seen;
}
/** Sends, and lets the time for a response pass once `begun` holds. */
async function sendTillTimeout(sender: Sender, url: string, begun: () => boolean): Promise<SendOutcome> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const sending = sender.send(post(url), NEVER);
  while (!begun()) await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(15_000);
  vi.useRealTimers();
  return await sending;
}
/**
 * Makes DNS answer each look-up of a name with the next of these lists of addresses, and then with the last one again.
 */
function answerByDns(...lists: string[][]) {
  let asked = 0;
  // biome-ignore lint/suspicious/noExplicitAny: the types have four overloads, of which one is used
  const listOf = (isWanted: (address: string) => boolean, place: number): Promise<any> => {
    const addresses = lists[Math.min(place, lists.length - 1)]!.filter(isWanted);
    return addresses.length > 0 ? Promise.resolve(addresses) : Promise.reject(new Error('no data'));
  };
  // A look-up asks for IPv4 and IPv6 addresses at once, IPv4 first.
  const asking = vi
    .spyOn(Resolver.prototype, 'resolve4')
    .mockImplementation(() => listOf((address) => !isIPv6(address), asked));
  vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation(() => listOf(isIPv6, asked++));
  return asking;
}

describe('a response', () => {
  it.each<[what: string, text: string, status: number]>([
    ...[200, 201, 204, 299].map((status): [string, string, number] => [
      `of ${status}`,
      `HTTP/1.1 ${status} x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      status,
    ]),
    ['without an end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n', 200],
    [
      'after two 1xx responses',
      `${'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(2)}HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n`,
      204,
    ],
  ])('%s is delivered, and its connection is closed', async (_, text, status) => {
    const seen = await listen(answering(text));
    expect(await send(seen)).toMatchObject({ status, fault: null });
    await expect.poll(() => seen.closed).toBe(1);
  });

  it.each<[what: string, text: string, fault: string, status?: number]>([
    ...[301, 410, 404, 500].map((status): [string, string, string, number] => [
      `of ${status}`,
      `HTTP/1.1 ${status} x\r\nlocation: /elsewhere\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      explainStatus(status),
      status,
    ]),
    [
      'with two 1xx responses of 9 KiB',
      `HTTP/1.1 103 Early Hints\r\nlink: ${'x'.repeat(9_000)}\r\n\r\n`.repeat(2),
      HEADERS_TOO_LARGE,
    ],
    ['with headers without an end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`, HEADERS_TOO_LARGE],
    ['that is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', NOT_HTTP],
    [
      'that changes the protocol',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
      CLOSED,
    ],
  ])('%s is not delivered, and not followed', async (_, text, fault, status = null!) => {
    const seen = await listen(answering(text));
    expect(await send(seen)).toMatchObject({ status, fault });
    await expect.poll(() => seen.closed).toBe(1);
    expect(seen.connections).toBe(1);
    expect(seen.requests).not.toContain('elsewhere');
  });

  it.each([
    ['that never comes', ''],
    ['of 100 alone', 'HTTP/1.1 100 x\r\nlocation: /elsewhere\r\nconnection: close\r\n\r\n'],
  ])('%s times out', async (_, text) => {
    const seen = await listen(answering(text));
    const outcome = await sendTillTimeout(anyAddress, `http://127.0.0.1:${seen.port}/`, () => seen.requests !== '');
    expect(outcome).toMatchObject({ status: null, fault: TIMED_OUT });
    await expect.poll(() => seen.closed).toBe(1);
    expect(seen.connections).toBe(1);
  });

  it('that comes byte by byte times out', async () => {
    const text = `HTTP/1.1 200 OK\r\nx-slow: ${'x'.repeat(10_000)}`;
    let sent = 0;
    const seen = await listen((socket) => {
      const timer = setInterval(() => socket.write(text[sent++]!), 5);
      socket.on('close', () => clearInterval(timer));
    });
    const outcome = await sendTillTimeout(anyAddress, `http://127.0.0.1:${seen.port}/`, () => sent > 30);
    expect(outcome).toMatchObject({ status: null, fault: TIMED_OUT });
    await expect.poll(() => seen.closed).toBe(1);
  });

  it.each<[what: string, first: string, part: string, fault: string | null]>([
    ['with a gigabyte counts', 'HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n', 'x', null],
    ['with chunk extensions counts', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1;x=1\r\nx\r\n', null],
    ...['100 Continue', '102 Processing', '103 Early Hints'].map((status): [string, string, string, string] => [
      `of endless ${status} does not count`,
      '',
      `HTTP/1.1 ${status}\r\n\r\n`,
      NO_FINAL_STATUS,
    ]),
  ])('%s as delivered, and is read only in part', async (_, first, part, fault) => {
    const seen = await flood(first, part);
    expect(await send(seen)).toMatchObject({ status: fault === null ? 200 : null, fault });
    await expect.poll(() => seen.closed).toBe(1);
    expect(seen.written).toBeLessThan(64 * 2 ** 20);
  });
});

describe('a connection', () => {
  it('that is refused says so', async () => {
    const seen = await listen(() => {});
    servers.pop()!.close();
    expect(await send(seen)).toMatchObject({ status: null, fault: REFUSED });
  });

  it('to a host with an untrusted certificate is refused, and nothing is sent', async () => {
    let requests = 0;
    const server = createTlsServer(SELF_SIGNED, () => requests++);
    const port = await begin(server);
    for (const host of ['127.0.0.1', 'localhost']) {
      const outcome = await send(`https://${host}:${port}/`);
      expect(outcome).toMatchObject({ status: null, fault: SELF_SIGNED_CERTIFICATE });
    }
    expect(requests).toBe(0);
  });

  it('to a host that asks for a second handshake fails', async () => {
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, SELF_SIGNED.cert]);
    let handshakes = 0;
    const server = createTlsServer({ ...SELF_SIGNED, maxVersion: 'TLSv1.2' }, ({ socket }, response) => {
      socket.on('secure', () => {
        handshakes++;
        response.end();
      });
      // The method for it is only for clients, but OpenSSL lets a server ask too.
      (socket as TLSSocket & { _handle: { renegotiate(): void } })._handle.renegotiate();
      response.writeProcessing();
    });
    server.on('connection', (socket) => socket.on('error', () => {}));
    const port = await begin(server);
    const outcome = await send(`https://127.0.0.1:${port}/`);
    setDefaultCACertificates(trusted);
    expect({ outcome, handshakes }).toMatchObject({ outcome: { status: null, fault: TLS_FAILED }, handshakes: 0 });
  });

  it('to a host without TLS says so', async () => {
    const { port } = await listen(answering('HTTP/1.1 200 OK\r\n\r\n'));
    const outcome = await send(`https://127.0.0.1:${port}/`);
    expect(outcome).toMatchObject({ status: null, fault: TLS_FAILED });
  });

  it('is closed when the sender stops, and the outcome is unknown', async () => {
    const stopping = new AbortController();
    const seen = await listen((socket) => socket.once('data', () => stopping.abort(new Error('stops'))));
    const url = `http://127.0.0.1:${seen.port}/`;
    await expect(anyAddress.send(post(url), stopping.signal)).rejects.toThrow('stops');
    await expect.poll(() => seen.closed).toBe(1);
    await expect(anyAddress.send(post(url), stopping.signal)).rejects.toThrow('stops');
    expect(seen.connections).toBe(1);
  });
});

/** DNS's error for a name that does not exist. */
const UNKNOWN_NAME = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND', syscall: 'queryA' });

describe('where only public addresses are allowed', () => {
  const FORBIDDEN = { status: null, fault: UNREACHABLE };
  const NAME = 'hooks.shop.example';

  it.each([
    ...['127.0.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.1', '0.0.0.0', '10.0.0.1', '172.31.255.255'],
    ...['192.168.0.1', '169.254.169.254', '100.64.0.1', '168.63.129.16', '224.0.0.1', '100.100.100.200', '192.0.0.192'],
    ...['198.18.0.1', '255.255.255.255', '[::ffff:8.8.8.8]', '[::1]', '[::]'],
    // An IPv4 address inside an IPv6 address: mapped, compatible, translated, by NAT64, 6to4 and Teredo.
    ...['[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '[fd00::1]', '[::7f00:1]'],
    ...['[::ffff:0:7f00:1]', '[64:ff9b:1::7f00:1]', '[2001:0:7f00:1::]', '[4000::1]', '[fec0::1]'],
  ])('nothing is sent to %s', async (host) => {
    const seen = await listen(() => {}, '::');
    expect(await send(`https://${host}:${seen.port}/`, publicOnly)).toMatchObject(FORBIDDEN);
    expect(seen.connections).toBe(0);
  });

  /** A few, because hosts and addresses of names are checked by the same rule. */
  const FORBIDDEN_ADDRESSES = ['127.0.0.1', '168.63.129.16', '::1', '::ffff:127.0.0.1', '64:ff9b:1::a00:1'];

  it.each([...FORBIDDEN_ADDRESSES.map((address) => [address]), ['8.8.8.8', '127.0.0.1']])(
    'nothing is sent to a name that resolves to %s %s',
    async (...addresses) => {
      const seen = await listen(() => {}, '::');
      answerByDns(addresses);
      expect(await send(`https://${NAME}:${seen.port}/`, publicOnly)).toMatchObject(FORBIDDEN);
      expect(seen.connections).toBe(0);
    },
  );

  it('the connection uses the address that was checked, even if the name changes', async () => {
    const seen = await listen(() => {});
    const url = `https://${NAME}:${seen.port}/`;
    // First an address of a network that no longer exists (RFC 3701), then this machine.
    const asking = answerByDns(['3ffe::1'], ['127.0.0.1']);
    const { fault } = await sendTillTimeout(publicOnly, url, () => asking.mock.calls.length > 0);
    expect(fault).toBe(FORBIDDEN.fault);
    expect(await send(url, publicOnly)).toMatchObject(FORBIDDEN);
    expect(seen.connections).toBe(0);
  });

  it('a name that resolves to a private address fails like an unknown name', async () => {
    const seen = await listen(() => {});
    const url = `https://${NAME}:${seen.port}/`;
    answerByDns(['10.0.0.1']);
    const { status, fault } = await send(url, publicOnly);
    vi.spyOn(Resolver.prototype, 'resolve4').mockRejectedValue(UNKNOWN_NAME);
    vi.spyOn(Resolver.prototype, 'resolve6').mockRejectedValue(UNKNOWN_NAME);
    expect(await send(url, publicOnly)).toMatchObject({ status, fault });
  });

  it('nothing is sent to an http URL', async () => {
    const seen = await listen(() => {});
    const asking = answerByDns(['8.8.8.8']);
    for (const host of ['127.0.0.1', NAME]) {
      const outcome = await send(`http://${host}:${seen.port}/`, publicOnly);
      expect(outcome).toMatchObject({ status: null, fault: NOT_HTTPS });
    }
    expect({ connections: seen.connections, lookups: asking.mock.calls }).toEqual({ connections: 0, lookups: [] });
  });

  it('localhost is not public', async () => {
    const seen = await listen(() => {});
    const { status, fault } = await send(`https://localhost:${seen.port}/`, publicOnly);
    expect({ status, isDelivered: fault === null }).toEqual({ status: null, isDelivered: false });
    expect(seen.connections).toBe(0);
  });
});

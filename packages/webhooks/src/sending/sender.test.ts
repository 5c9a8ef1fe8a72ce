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
  servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  seen.port = (server.address() as AddressInfo).port;
  return seen;
}

const post = (url: string) => ({ url, headers: { 'webhook-id': '1' }, body: '{}' });
/** Responds as soon as a request has begun. */
const answering = (text: string) => (socket: Socket) => socket.once('data', () => socket.write(text));
/** Responds with a text, and then with another one repeatedly, up to a gigabyte. */
async function flood(first: string, part: string) {
  const chunk = Buffer.from(part.repeat(65_536 / part.length));
  const seen = Object.assign(
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
  return { seen, url: `http://127.0.0.1:${seen.port}/` };
}
const anyAddress = () => new Sender({ allowPrivate: true });
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
  it.each([200, 201, 204, 299])('of %i is delivered', async (status) => {
    const { port } = await listen(answering(`HTTP/1.1 ${status} x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`));
    expect(await anyAddress().send(post(`http://127.0.0.1:${port}/`), NEVER)).toMatchObject({ status, fault: null });
  });

  it.each([
    [100, TIMED_OUT, null],
    [301, explainStatus(301), 301],
    [410, explainStatus(410), 410],
    [404, explainStatus(404), 404],
    [500, explainStatus(500), 500],
  ])('of %i is not', async (status, fault, shown) => {
    const seen = await listen(answering(`HTTP/1.1 ${status} x\r\nlocation: /elsewhere\r\nconnection: close\r\n\r\n`));
    const url = `http://127.0.0.1:${seen.port}/`;
    const outcome =
      status === 100
        ? await sendTillTimeout(anyAddress(), url, () => seen.requests !== '')
        : await anyAddress().send(post(url), NEVER);
    expect(outcome).toMatchObject({ status: shown, fault });
    expect(seen.connections).toBe(1);
    expect(seen.requests).not.toContain('elsewhere');
  });

  it('that never comes times out', async () => {
    const seen = await listen(() => {});
    const url = `http://127.0.0.1:${seen.port}/`;
    const outcome = await sendTillTimeout(anyAddress(), url, () => seen.requests !== '');
    expect(outcome).toMatchObject({ status: null, fault: TIMED_OUT });
    await expect.poll(() => seen.closed).toBe(1);
  });

  it('that comes byte by byte times out', async () => {
    const text = `HTTP/1.1 200 OK\r\nx-slow: ${'x'.repeat(10_000)}`;
    let sent = 0;
    const seen = await listen((socket) => {
      const timer = setInterval(() => socket.write(text[sent++]!), 5);
      socket.on('close', () => clearInterval(timer));
    });
    const outcome = await sendTillTimeout(anyAddress(), `http://127.0.0.1:${seen.port}/`, () => sent > 30);
    expect(outcome).toMatchObject({ status: null, fault: TIMED_OUT });
    await expect.poll(() => seen.closed).toBe(1);
  });

  it.each([
    ['a gigabyte', 'content-length: 1073741824', 'x'],
    ['chunk extensions', 'transfer-encoding: chunked', '1;x=1\r\nx\r\n'],
  ])('with %s counts as delivered, and is read only in part', async (_, header, part) => {
    const { seen, url } = await flood(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n`, part);
    expect(await anyAddress().send(post(url), NEVER)).toMatchObject({ status: 200, fault: null });
    await expect.poll(() => seen.closed).toBe(1);
    expect(seen.written).toBeLessThan(64 * 2 ** 20);
  });

  it('without an end counts as delivered, and its connection is closed', async () => {
    const seen = await listen((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n'));
    });
    expect(await anyAddress().send(post(`http://127.0.0.1:${seen.port}/`), NEVER)).toMatchObject({
      status: 200,
      fault: null,
    });
    await expect.poll(() => seen.closed).toBe(1);
  });

  it.each(['100 Continue', '102 Processing', '103 Early Hints'])('of endless %s is not delivered', async (status) => {
    const { seen, url } = await flood('', `HTTP/1.1 ${status}\r\n\r\n`);
    expect(await anyAddress().send(post(url), NEVER)).toMatchObject({
      status: null,
      fault: NO_FINAL_STATUS,
    });
    await expect.poll(() => seen.closed).toBe(1);
    expect(seen.written).toBeLessThan(64 * 2 ** 20);
  });

  it('after two 1xx responses is delivered', async () => {
    const final = 'HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n';
    const { port } = await listen(answering(`${'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(2)}${final}`));
    expect(await anyAddress().send(post(`http://127.0.0.1:${port}/`), NEVER)).toMatchObject({
      status: 204,
      fault: null,
    });
  });

  it.each([
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
  ])('%s is not delivered', async (_, text, fault) => {
    const seen = await listen(answering(text));
    expect(await anyAddress().send(post(`http://127.0.0.1:${seen.port}/`), NEVER)).toMatchObject({
      status: null,
      fault,
    });
    await expect.poll(() => seen.closed).toBe(1);
  });
});

describe('a connection', () => {
  it('that is refused says so', async () => {
    const { port } = await listen(() => {});
    servers.pop()!.close();
    const outcome = await anyAddress().send(post(`http://127.0.0.1:${port}/`), NEVER);
    expect(outcome).toMatchObject({ status: null, fault: REFUSED });
  });

  it('to a host with an untrusted certificate is refused, and nothing is sent', async () => {
    let requests = 0;
    const server = createTlsServer(SELF_SIGNED, () => requests++);
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const host of ['127.0.0.1', 'localhost']) {
      const outcome = await anyAddress().send(post(`https://${host}:${port}/`), NEVER);
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
    servers.push(server);
    server.on('connection', (socket) => socket.on('error', () => {}));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const outcome = await anyAddress().send(post(`https://127.0.0.1:${port}/`), NEVER);
    setDefaultCACertificates(trusted);
    expect({ outcome, handshakes }).toMatchObject({ outcome: { status: null, fault: TLS_FAILED }, handshakes: 0 });
  });

  it('to a host without TLS says so', async () => {
    const { port } = await listen(answering('HTTP/1.1 200 OK\r\n\r\n'));
    const outcome = await anyAddress().send(post(`https://127.0.0.1:${port}/`), NEVER);
    expect(outcome).toMatchObject({ status: null, fault: TLS_FAILED });
  });

  it('is closed when the sender stops, and the outcome is unknown', async () => {
    const stopping = new AbortController();
    const seen = await listen((socket) => socket.once('data', () => stopping.abort(new Error('stops'))));
    await expect(anyAddress().send(post(`http://127.0.0.1:${seen.port}/`), stopping.signal)).rejects.toThrow('stops');
    await expect.poll(() => seen.closed).toBe(1);
    await expect(anyAddress().send(post(`http://127.0.0.1:${seen.port}/`), stopping.signal)).rejects.toThrow('stops');
    expect(seen.connections).toBe(1);
  });
});

/** DNS's error for a name that does not exist. */
const UNKNOWN_NAME = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND', syscall: 'queryA' });

describe('where only public addresses are allowed', () => {
  const FORBIDDEN = {
    status: null,
    fault: UNREACHABLE,
  };

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '0.0.0.0',
    '10.0.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '168.63.129.16',
    '224.0.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '198.18.0.1',
    '255.255.255.255',
    '[::ffff:8.8.8.8]',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00::1]',
    '[::7f00:1]',
    '[::ffff:0:7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2001:0:7f00:1::]',
    '[4000::1]',
    '[fec0::1]',
  ])('nothing is sent to %s', async (host) => {
    const seen = await listen(() => {}, '::');
    const sender = new Sender({ allowPrivate: false });
    expect(await sender.send(post(`https://${host}:${seen.port}/`), NEVER)).toMatchObject(FORBIDDEN);
    expect(seen.connections).toBe(0);
  });

  const FORBIDDEN_ADDRESSES = [
    '127.0.0.1',
    '10.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '169.254.169.254',
    '168.63.129.16',
    'fd00::1',
    'fec0::1',
    // An IPv4 address inside an IPv6 address: compatible, translated, by NAT64, 6to4 and Teredo.
    '::7f00:1',
    '::a00:1',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2002:a00:1::',
    '2001:0:a00:1::',
  ];

  it.each(FORBIDDEN_ADDRESSES)('nothing is sent to a name that resolves to %s', async (address) => {
    const seen = await listen(() => {}, '::');
    answerByDns([address]);
    const sender = new Sender({ allowPrivate: false });
    const url = `https://hooks.shop.example:${seen.port}/`;
    expect(await sender.send(post(url), NEVER)).toMatchObject(FORBIDDEN);
    expect(seen.connections).toBe(0);
  });

  it('the connection uses the address that was checked, even if the name changes', async () => {
    const seen = await listen(() => {});
    const url = `https://hooks.shop.example:${seen.port}/`;
    // First an address of a network that no longer exists (RFC 3701), then this machine.
    const asking = answerByDns(['3ffe::1'], ['127.0.0.1']);
    const sender = new Sender({ allowPrivate: false });
    const { fault } = await sendTillTimeout(sender, url, () => asking.mock.calls.length > 0);
    expect(fault).toBe(FORBIDDEN.fault);
    expect(await sender.send(post(url), NEVER)).toMatchObject(FORBIDDEN);
    expect(seen.connections).toBe(0);
  });

  it('a name that resolves to a private address fails like an unknown name', async () => {
    const seen = await listen(() => {});
    const sender = new Sender({ allowPrivate: false });
    const url = `https://hooks.shop.example:${seen.port}/`;
    answerByDns(['10.0.0.1']);
    const { status, fault } = await sender.send(post(url), NEVER);
    vi.spyOn(Resolver.prototype, 'resolve4').mockRejectedValue(UNKNOWN_NAME);
    vi.spyOn(Resolver.prototype, 'resolve6').mockRejectedValue(UNKNOWN_NAME);
    expect(await sender.send(post(url), NEVER)).toMatchObject({ status, fault });
  });

  it('one forbidden address among several is enough', async () => {
    const seen = await listen(() => {});
    answerByDns(['8.8.8.8', '127.0.0.1']);
    const sender = new Sender({ allowPrivate: false });
    expect(await sender.send(post(`https://hooks.shop.example:${seen.port}/`), NEVER)).toMatchObject(FORBIDDEN);
    expect(seen.connections).toBe(0);
  });

  it('nothing is sent to an http URL', async () => {
    const seen = await listen(() => {});
    const asking = answerByDns(['8.8.8.8']);
    const sender = new Sender({ allowPrivate: false });
    for (const host of ['127.0.0.1', 'hooks.shop.example']) {
      const outcome = await sender.send(post(`http://${host}:${seen.port}/`), NEVER);
      expect(outcome).toMatchObject({ status: null, fault: NOT_HTTPS });
    }
    expect({ connections: seen.connections, lookups: asking.mock.calls }).toEqual({ connections: 0, lookups: [] });
  });

  it('localhost is not public', async () => {
    const seen = await listen(() => {});
    const sender = new Sender({ allowPrivate: false });
    const { status, fault } = await sender.send(post(`https://localhost:${seen.port}/`), NEVER);
    expect({ status, isDelivered: fault === null }).toEqual({ status: null, isDelivered: false });
    expect(seen.connections).toBe(0);
  });
});

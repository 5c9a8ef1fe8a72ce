import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What a URL means that names no port. */
const REDIS_PORT = 6_379;

/**
 * An address of PostgreSQL or Redis that forwards to one server after another, like HAProxy. On request, it freezes or
 * breaks connections, or breaks them after a commit and before its answer.
 */
export class ForwardedAddress {
  /** How many more answers to lose. */
  toLose = 0;
  readonly #url: URL;
  readonly #server: Server;
  readonly #open = new Set<{ client: Socket; server: Socket }>();
  #target: number;

  private constructor(url: string, isBroken: (start: Buffer) => boolean) {
    this.#url = new URL(url);
    const { hostname, port } = this.#url;
    this.#target = Number(port || REDIS_PORT);
    this.#server = createServer((client) => {
      const server = connect(this.#target, hostname);
      const pair = { client, server };
      this.#open.add(pair);
      client.on('error', () => {}).on('close', () => server.destroy());
      server
        .on('error', () => {})
        .on('close', () => {
          client.destroy();
          this.#open.delete(pair);
        });
      client.once('data', (start) => void (isBroken(start) && client.destroy())).pipe(server);
      server.on('data', (answer) => {
        if (this.toLose > 0 && answer.includes('COMMIT\0')) {
          this.toLose--;
          client.destroy();
        } else client.write(answer);
      });
    });
  }

  /**
   * Opens an address, on any port by default, that forwards to the server of a URL on this machine. Breaks the
   * connections for whose first bytes `isBroken` returns true.
   */
  static async open(
    url: string,
    { port = 0, isBroken = (_start: Buffer): boolean => false } = {},
  ): Promise<ForwardedAddress> {
    const address = new ForwardedAddress(url, isBroken);
    await once(address.#server.listen(port, '127.0.0.1'), 'listening');
    address.#url.host = `127.0.0.1:${(address.#server.address() as AddressInfo).port}`;
    return address;
  }

  /** The URL of the server at this address. */
  get url(): string {
    return this.#url.href;
  }

  /** Forwards new connections to another port. Open ones stay. */
  moveTo(port: number): void {
    this.#target = port;
  }

  /** Passes on no more answers of open connections, which stay open. */
  freezeAnswers(): void {
    for (const { server } of this.#open) server.pause();
  }

  /** Passes on nothing more of open connections, which stay open, as if their client's process was stopped. */
  freeze(): void {
    this.freezeAnswers();
    for (const { client, server } of this.#open) client.unpipe(server).pause();
  }

  /** Accepts no more connections, and breaks the open ones. */
  close(): void {
    this.#server.close();
    for (const { client } of this.#open) client.destroy();
  }
}

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

/**
 * An address of PostgreSQL that forwards to one server after another, like HAProxy. On request, it breaks connections
 * after a commit and before its answer.
 */
export class ForwardedAddress {
  /** How many more answers to lose. */
  toLose = 0;
  readonly #url: URL;
  readonly #server: Server;
  #target: number;

  private constructor(databaseUrl: string) {
    this.#url = new URL(databaseUrl);
    this.#target = Number(this.#url.port);
    this.#server = createServer((client) => {
      const server = connect(this.#target, '127.0.0.1');
      client.on('error', () => {}).on('close', () => server.destroy());
      server.on('error', () => {}).on('close', () => client.destroy());
      client.pipe(server);
      server.on('data', (answer) => {
        if (this.toLose > 0 && answer.includes('COMMIT\0')) {
          this.toLose--;
          client.destroy();
        } else client.write(answer);
      });
    }).listen(0, '127.0.0.1');
  }

  /** Opens an address that forwards to a database on this machine. */
  static async open(databaseUrl: string): Promise<ForwardedAddress> {
    const address = new ForwardedAddress(databaseUrl);
    await once(address.#server, 'listening');
    address.#url.port = String((address.#server.address() as AddressInfo).port);
    return address;
  }

  /** The URL of the database at this address. */
  get url(): string {
    return this.#url.href;
  }

  /** Forwards new connections to another port. Open ones stay. */
  moveTo(port: number): void {
    this.#target = port;
  }

  /** Stops accepting connections; open ones last until one end closes. */
  close(): void {
    this.#server.close();
  }
}

import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { freePort } from './redis.ts';

/** An address that forwards to one server after another: a TCP proxy, like HAProxy in front of PostgreSQL. */
export class MovingAddress {
  readonly port: number;
  readonly #server: Server;
  #target: number;

  private constructor(port: number, target: number) {
    this.port = port;
    this.#target = target;
    this.#server = createServer((client) => {
      const server = connect(this.#target, '127.0.0.1');
      client.on('error', () => {}).on('close', () => server.destroy());
      server.on('error', () => {}).on('close', () => client.destroy());
      client.pipe(server).pipe(client);
    });
  }

  /** Opens an address that forwards to a local port. */
  static async open(target: number): Promise<MovingAddress> {
    const address = new MovingAddress(await freePort(), target);
    await once(address.#server.listen(address.port, '127.0.0.1'), 'listening');
    return address;
  }

  /** Returns a URL of the target at this address. */
  of(url: string): string {
    const moving = new URL(url);
    moving.host = `127.0.0.1:${this.port}`;
    return moving.href;
  }

  /** Forwards new connections to another port. Open ones stay. */
  moveTo(target: number): void {
    this.#target = target;
  }

  /** Stops accepting connections; open ones last until one end closes. */
  close(): void {
    this.#server.close();
  }
}

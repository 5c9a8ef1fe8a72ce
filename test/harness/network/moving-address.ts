import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { freePort } from './redis.ts';

/** An address that leads to one server after the other: a TCP proxy, as HAProxy is in front of PostgreSQL. */
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

  /** Opens an address that leads to a port of this machine. */
  static async open(target: number): Promise<MovingAddress> {
    const address = new MovingAddress(await freePort(), target);
    await once(address.#server.listen(address.port, '127.0.0.1'), 'listening');
    return address;
  }

  /** The URL of what this leads to, at this address. */
  of(url: string): string {
    const moving = new URL(url);
    moving.host = `127.0.0.1:${this.port}`;
    return moving.href;
  }

  /** Leads new connections to another port. Those that are open stay where they are. */
  moveTo(target: number): void {
    this.#target = target;
  }

  /** Takes no more connections; those that are open go on until one of their ends closes. */
  close(): void {
    this.#server.close();
  }
}

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a server that counts what passes. It takes processor time of the benchmark's own process. */
export class CountingProxy {
  /** In both directions, so far. */
  bytes = 0;
  readonly #server = createServer((near) => {
    const far = connect(this.#targetPort, '127.0.0.1');
    this.#link(near, far);
    this.#link(far, near);
  });
  readonly #targetPort: number;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
  }

  static async start(targetPort: number): Promise<CountingProxy> {
    const proxy = new CountingProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** A URL of the server, so that its port leads here. */
  reachedAt(url: string): string {
    const here = new URL(url);
    here.port = String((this.#server.address() as { port: number }).port);
    return here.href;
  }

  /** Takes no more connections; those that are open end with their processes. */
  stop(): void {
    this.#server.close();
  }

  #link(from: Socket, to: Socket): void {
    from.setNoDelay(true);
    from.on('data', (part) => {
      this.bytes += part.length;
      to.write(part);
    });
    from.on('error', () => {});
    from.on('close', () => to.destroy());
  }
}

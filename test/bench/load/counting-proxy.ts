import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy that counts the bytes between clients and a server. It takes processor time of the benchmark's process. */
export class CountingProxy {
  /** Both directions together. */
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

  /** Replaces the port of a URL of the server with the proxy's. */
  reachedAt(url: string): string {
    const here = new URL(url);
    here.port = String((this.#server.address() as { port: number }).port);
    return here.href;
  }

  /** Stops accepting connections; open ones end with their processes. */
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

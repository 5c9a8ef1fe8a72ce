import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An HTTP answer. */
export interface RawAnswer {
  status: number;
  body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * A keep-alive HTTP/1.1 connection with one request at a time. It is minimal, because the load generator shares the
 * processor with the service. Answers must have a content-length.
 */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #receivedBytes = 0;
  /** Length of the whole answer; 0 until its head is complete. */
  #wholeBytes = 0;
  #answered: ((answer: RawAnswer) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (part) => this.#receive(part));
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => this.#failed?.(new Error('The server closed the connection')));
  }

  static async open(baseUrl: string): Promise<RawConnection> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Sends a request and waits for its answer. @throws Error if the connection closes first */
  send(head: string, body?: Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.cork();
      this.#socket.write(head, 'latin1');
      if (body !== undefined) this.#socket.write(body);
      this.#socket.uncork();
    });
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #receive(part: Buffer): void {
    this.#received.push(part);
    this.#receivedBytes += part.length;
    if (this.#wholeBytes === 0) this.#readHead();
    if (this.#wholeBytes === 0 || this.#receivedBytes < this.#wholeBytes) return;
    const whole = this.#received.length === 1 ? part : Buffer.concat(this.#received);
    const answer = {
      status: Number(whole.toString('latin1', 9, 12)),
      body: whole.subarray(whole.indexOf(HEAD_END) + 4),
    };
    this.#received = [];
    this.#receivedBytes = 0;
    this.#wholeBytes = 0;
    const answered = this.#answered;
    this.#answered = undefined;
    this.#failed = undefined;
    answered?.(answer);
  }

  #readHead(): void {
    const received = this.#received.length === 1 ? this.#received[0]! : Buffer.concat(this.#received);
    this.#received = [received];
    const end = received.indexOf(HEAD_END);
    if (end === -1) return;
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, end)) ?? [];
    if (length === undefined) this.#failed?.(new Error('The answer has no content-length'));
    else this.#wholeBytes = end + 4 + Number(length);
  }
}

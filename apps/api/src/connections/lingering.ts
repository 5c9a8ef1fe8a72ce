import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** How much a client may still send after its answer, and for how long (rules 1). */
interface Bounds {
  bytes: number;
  /** Without a byte. */
  silenceMs: number;
  /** From the answer on. */
  totalMs: number;
  /** In place of `totalMs` while the server closes. */
  closingMs: number;
}

const BOUNDS: Bounds = { bytes: 64 * 1024 * 1024, silenceMs: 5_000, totalMs: 30_000, closingMs: 5_000 };

/** Whether more of a request has to come. Then its answer closes the connection (rules 1). */
export function isUnfinished({ complete, headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return !complete && (length !== '0' || coding !== undefined);
}

/**
 * Reads and drops what clients still send after their answer, as nginx's lingering close does. If the service closed
 * the connection while its client still writes, the client would get a reset, and most clients then never read the
 * answer.
 */
export class Lingering {
  readonly #bounds: Bounds;
  readonly #rests = new Map<Socket, Rest>();
  #isClosing = false;

  constructor(bounds = BOUNDS) {
    this.#bounds = bounds;
  }

  /**
   * Closes the connection after an answer that comes before its request's end, once the rest of that has been dropped.
   * Call it before anything answers.
   */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // Before node's own listener, which would close the connection by destroySoon.
    response.prependOnceListener('finish', () => {
      if (request.complete || socket.destroyed) return;
      socket.destroySoon = () => socket.end();
      // The client learns that nothing follows its answer, and may write on.
      socket.end();
      this.#drop(socket, request);
      request.once('end', () => socket.destroy());
    });
  }

  /** Ends a connection after these last bytes. Drops what its client sends until the client ends it as well. */
  end(socket: Socket, text = ''): void {
    socket.end(text);
    this.#drop(socket, socket);
  }

  /** Shortens the time of all clients, so that the server can close. */
  close(): void {
    this.#isClosing = true;
    for (const rest of this.#rests.values()) rest.endAfter(this.#bounds.closingMs);
  }

  #drop(socket: Socket, source: Readable): void {
    this.#rests.get(socket)?.stop();
    const { totalMs, closingMs } = this.#bounds;
    const rest = new Rest(socket, source, this.#bounds, () => this.#rests.delete(socket));
    rest.endAfter(this.#isClosing ? closingMs : totalMs);
    this.#rests.set(socket, rest);
  }
}

/** What a client sends after its answer: read, dropped, and bounded. */
class Rest {
  readonly #socket: Socket;
  readonly #source: Readable;
  readonly #maxBytes: number;
  readonly #onStop: () => void;
  readonly #silence: NodeJS.Timeout;
  #total: NodeJS.Timeout | undefined;
  #bytes = 0;

  constructor(socket: Socket, source: Readable, { bytes, silenceMs }: Bounds, onStop: () => void) {
    this.#socket = socket;
    this.#source = source;
    this.#maxBytes = bytes;
    this.#onStop = onStop;
    this.#silence = setTimeout(this.#cut, silenceMs);
    socket.once('close', this.stop);
    source.on('data', this.#onData).resume();
  }

  /** Closes the connection after this time, in place of any time that was set before. */
  endAfter(ms: number): void {
    clearTimeout(this.#total);
    this.#total = setTimeout(this.#cut, ms);
  }

  /** Drops nothing more. */
  readonly stop = (): void => {
    clearTimeout(this.#silence);
    clearTimeout(this.#total);
    this.#socket.off('close', this.stop);
    this.#source.off('data', this.#onData);
    this.#onStop();
  };

  readonly #cut = (): void => void this.#socket.destroy();

  readonly #onData = (chunk: Buffer): void => {
    this.#silence.refresh();
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#cut();
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** What a client can still send after its answer, and for how long (rules 1). */
interface Bounds {
  bytes: number;
  /** Time without a byte. */
  silenceMs: number;
  /** Time since the answer. */
  totalMs: number;
  /** Replaces `totalMs` while the server closes. */
  closingMs: number;
}

const BOUNDS: Bounds = { bytes: 64 * 1024 * 1024, silenceMs: 5_000, totalMs: 30_000, closingMs: 5_000 };

/** Whether part of a request has not arrived yet. Its answer then closes the connection (rules 1). */
export function isUnfinished({ complete, headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return !complete && (length !== '0' || coding !== undefined);
}

/**
 * Reads and drops what clients send after their answer, like lingering_close of nginx. If the service closed the
 * connection while the client still writes, the client would get a reset, and most clients would not read the answer.
 */
export class Lingering {
  readonly #bounds: Bounds;
  readonly #rests = new Map<Socket, Rest>();
  #isClosing = false;

  constructor(bounds = BOUNDS) {
    this.#bounds = bounds;
  }

  /**
   * If an answer is sent before the whole request has arrived, drops the rest and then closes the connection. Call it
   * before anything answers.
   */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // Runs before the listener of Node.js, which would close the connection by destroySoon.
    response.prependOnceListener('finish', () => {
      if (request.complete || socket.destroyed) return;
      socket.destroySoon = () => socket.end();
      // Tells the client that nothing follows the answer; the client can keep writing.
      socket.end();
      this.#drop(socket, request);
      request.once('end', () => socket.destroy());
    });
  }

  /** Sends these last bytes and ends the connection. Drops what the client sends until it ends the connection too. */
  end(socket: Socket, text = ''): void {
    socket.end(text);
    this.#drop(socket, socket);
  }

  /** Shortens the time limits of all clients, so that the server can close. */
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

/** Drops what one client sends after its answer, within limits. */
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

  /** Closes the connection after this time; replaces an earlier call. */
  endAfter(ms: number): void {
    clearTimeout(this.#total);
    this.#total = setTimeout(this.#cut, ms);
  }

  /** Stops dropping. */
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

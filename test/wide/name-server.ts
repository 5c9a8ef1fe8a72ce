import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const TYPE_A = 1;
const HEADER_BYTES = 12;

/**
 * A name server that returns the same IPv4 addresses for every name, as Docker's returns those of a service's
 * containers.
 */
export class NameServer {
  addresses: string[];
  readonly #socket = createSocket('udp4');

  constructor(addresses: string[]) {
    this.addresses = addresses;
    this.#socket.on('message', (query, { port, address }) => this.#socket.send(this.#answer(query), port, address));
  }

  /** Starts it on a free port of 127.0.0.1 and returns the port. */
  async start(): Promise<number> {
    this.#socket.bind(0, '127.0.0.1');
    await once(this.#socket, 'listening');
    return this.#socket.address().port;
  }

  stop(): void {
    this.#socket.close();
  }

  /** Returns the answer (RFC 1035) to a query with one question. */
  #answer(query: Buffer): Buffer {
    let end = HEADER_BYTES;
    while (query[end] !== 0) end += query[end]! + 1;
    const question = query.subarray(HEADER_BYTES, end + 5);
    const isForAddress = query.readUInt16BE(end + 1) === TYPE_A;
    const records = (isForAddress ? this.addresses : []).map((address) => {
      const record = Buffer.alloc(16);
      // The name of the question; then type, class, seconds to live, length.
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(TYPE_A, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(4, 10);
      record.set(address.split('.').map(Number), 12);
      return record;
    });
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    // An answer with one question; recursion desired and available.
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, question, ...records]);
  }
}

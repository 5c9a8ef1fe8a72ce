import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { findRow, followerOf, type List, Refusal } from '@lockstep/contract';
import { Deadline } from '@lockstep/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { z } from 'zod';
import { ClientLeft } from './bodies.ts';
import { noteCode, onCallEnd, partOfCall } from './calls.ts';
import { csvOf } from './csv.ts';

const JSON_TYPE = 'application/json';
/** The media types of exports, with the ending of their files (rules 1.1). */
export const EXPORT_TYPES = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const;
const TYPES = [JSON_TYPE, ...Object.keys(EXPORT_TYPES)];

/** The most exports at once of a process, and of one party. */
const MAX_EXPORTS = 4;
export const MAX_EXPORTS_OF_PARTY = 2;
/** The rows of a page of an export that pages by cursor: more than a call can ask for, since each page costs a plan. */
const ROWS_PER_PAGE = 500;
/** How long an export rests between pages, as a multiple of the time that the page before took. */
const RESTS = 2;
/** How long the service takes for a page, and a client to read it. */
const PAGE_MS = 10_000;
const READING_MS = 60_000;

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

declare module 'fastify' {
  interface FastifyInstance {
    exports: Exports;
  }
}

/** The exports that a process is sending. */
class Exports {
  readonly #parties = new Map<FastifyRequest, string>();
  #isClosed = false;

  /** Adds an export until its call ends. Throws a Refusal if there are too many: overloaded. */
  add(request: FastifyRequest, party: string): void {
    const parties = [...this.#parties.values()];
    const isFull =
      parties.length >= MAX_EXPORTS || parties.filter((each) => each === party).length >= MAX_EXPORTS_OF_PARTY;
    if (this.#isClosed || isFull) throw new Refusal('overloaded');
    this.#parties.set(request, party);
    onCallEnd(request, () => this.#parties.delete(request));
  }

  /** Breaks all exports, so that the process can stop (rules 9). */
  close(): void {
    this.#isClosed = true;
    for (const request of this.#parties.keys()) breakOff(request, new Error('the process stops'));
  }
}

/** Lets a server export lists. */
export function allowExports(server: FastifyInstance): void {
  server.decorate('exports', new Exports());
  server.addHook('preClose', async () => server.exports.close());
}

/** Resets the connection of an export, so that its client and proxies see that it is incomplete (rules 1.1). */
function breakOff(request: FastifyRequest, error: unknown): void {
  const { socket } = request.raw;
  if (socket.destroyed) return;
  noteCode(request, '500', 'service_unavailable');
  request.log.warn({ err: error }, 'export incomplete; connection reset');
  socket.resetAndDestroy();
}

/** Whether a call asks for an export: its preferred media type; undefined if that is JSON or unknown. */
function findType({ headers }: FastifyRequest): keyof typeof EXPORT_TYPES | undefined {
  const [type = JSON_TYPE] = new Negotiator({ headers }).mediaTypes(TYPES);
  return type === JSON_TYPE ? undefined : (type as keyof typeof EXPORT_TYPES);
}

/**
 * Returns the hook and the handler of a list, which exports it if the call asks for that (rules 1.1): the handler of
 * its pages is called for one page after the other. `data`: the schema of its pages. `party`: whose share it takes.
 */
export function exportable(
  list: List,
  data: z.ZodType,
  name: string,
  { answer, party }: { answer: Answer; party: (request: FastifyRequest) => string },
) {
  const csv = csvOf(findRow(data, list));
  const formats = {
    'text/csv': csv,
    'application/x-ndjson': (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  };
  const [field] = list.rows;
  const rowsOf = (page: object) =>
    (field === undefined ? page : (page as Record<string, unknown>)[field]) as readonly unknown[];

  return {
    /** Sets the size of a page before the query is checked. */
    preValidation: async (request: FastifyRequest) => {
      if (findType(request) !== undefined) Object.assign(request.query as object, list.page);
    },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const type = findType(request);
      if (type === undefined) return await answer(request, reply);
      request.server.exports.add(request, party(request));
      let endPage = () => {};
      onCallEnd(request, () => endPage());
      let restMs = 0;
      const readPage = async (changes: object): Promise<object> => {
        endPage();
        // Leaves most of the machine to orders.
        await delay(restMs, undefined, { ref: false });
        const startedMs = performance.now();
        if (reply.raw.destroyed) throw new ClientLeft();
        // The call's deadline is that of its present page. It ends when the client leaves.
        request.deadline.end();
        request.deadline = new Deadline(PAGE_MS);
        const size = 'limit' in list.page ? { limit: ROWS_PER_PAGE } : {};
        const { part, end } = partOfCall(request, { ...(request.query as object), ...size, ...changes });
        endPage = end;
        const answered = await answer(part, reply);
        request.deadline.pause();
        restMs = RESTS * (performance.now() - startedMs);
        const { data: page } = typeof answered === 'string' ? JSON.parse(answered) : answered;
        return page;
      };
      const write = async function* (first: object) {
        try {
          let page: object | undefined = first;
          for (let isFirst = true; page !== undefined; isFirst = false) {
            const text = formats[type](rowsOf(page), isFirst);
            const next = followerOf(page);
            const reading = setTimeout(() => breakOff(request, new Error('the client reads too slowly')), READING_MS);
            try {
              if (text !== '') yield text;
            } finally {
              clearTimeout(reading);
            }
            page = next && (await readPage(next));
          }
        } catch (error) {
          breakOff(request, error);
          throw error;
        }
      };
      const first = await readPage({});
      reply
        .type(`${type}; charset=utf-8`)
        .header('content-disposition', `attachment; filename="${name}.${EXPORT_TYPES[type]}"`);
      // Reads a page only when the client has read the one before it.
      return Readable.from(write(first), { highWaterMark: 0 });
    },
  };
}

/** Returns the name of the file of an export: `asset-history` for getAssetHistory. */
export function nameFile(operationId: string): string {
  return operationId
    .replace(/^(list|get|query|read)/, '')
    .replace(/[A-Z]/g, (letter, place: number) => `${place > 0 ? '-' : ''}${letter.toLowerCase()}`);
}

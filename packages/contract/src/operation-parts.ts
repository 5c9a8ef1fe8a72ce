import type { z } from 'zod';
import type { Route } from './routes.ts';

/** The request of an operation of the interface or the console. */
export interface CalledOperation extends Route {
  params?: z.ZodObject;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Maximum bytes of the body; default MAX_BODY_BYTES. */
  maxBodyBytes?: number;
}

/** A schema of an operation; undefined if the operation has no such part. */
export type Part<Entry, Key extends string> = Entry extends Record<Key, infer Schema> ? Schema : undefined;
/** What a schema parses to, and what clients send. */
export type Read<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
export type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** The parsed request of an operation; undefined for parts that the operation does not have. */
export interface CallOf<Entry> {
  params: Read<Part<Entry, 'params'>>;
  query: Read<Part<Entry, 'query'>>;
  body: Read<Part<Entry, 'body'>>;
}

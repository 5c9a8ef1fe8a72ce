import type { z } from 'zod';
import type { Route } from './routes.ts';

/** How an operation is called: what the tables of the interface and of the console have in common. */
export interface CalledOperation extends Route {
  params?: z.ZodObject;
  query?: z.ZodType;
  body?: z.ZodType;
  /** The largest body; MAX_BODY_BYTES where it is absent. */
  maxBodyBytes?: number;
}

/** A schema of an operation in a table: undefined where the operation has no such part. */
export type Part<Entry, Key extends string> = Entry extends Record<Key, infer Schema> ? Schema : undefined;
/** What the service reads by a schema, and what its clients send. */
export type Read<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
export type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** What the service reads of a call: undefined where the operation has no such part. */
export interface CallOf<Entry> {
  params: Read<Part<Entry, 'params'>>;
  query: Read<Part<Entry, 'query'>>;
  body: Read<Part<Entry, 'body'>>;
}

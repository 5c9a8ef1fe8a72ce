import { sql } from 'kysely';
import { type Database, inSnapshot, type Trx } from './database.ts';

/**
 * Runs reads, as inSnapshot does, of which each walks an index in its order and stops after some rows. Where PostgreSQL has
 * no statistics it takes what an index has for few rows, and would collect all of them to sort them.
 */
export function inIndexOrder<Result>(db: Database, work: (trx: Trx) => Promise<Result>): Promise<Result> {
  return inSnapshot(db, async (trx) => {
    await sql`set local enable_bitmapscan = off`.execute(trx);
    return await work(trx);
  });
}

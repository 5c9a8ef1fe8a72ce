import type { Generated } from 'kysely';

/**
 * The columns of the tables, by name. The owner of a table adds it in a `tables.ts` of its own (`declare module
 * '@lockstep/platform'`); a test holds all of them against the database. Here is what the migrator
 * keeps, what a finder of hosts notes, and what reads from standbys are held against.
 */
export interface Tables {
  period: { number: number; began_time: Generated<Date> };
  replica_mark: { reader: string; timeline: string; written_ms: number; written_time: Date };
  schema_definition: { name: string; definition: string };
  promotion: { system_identifier: string; timeline: number; noted_time: Generated<Date> };
  schema_expansion: { name: string; applied_time: Generated<Date> };
}

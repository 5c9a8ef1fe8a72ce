/**
 * The columns of the tables, by name. The owner of a table adds it in a `tables.ts` of its own (`declare module
 * '@lockstep/platform'`); a test holds all of them against the database.
 */
// biome-ignore lint/suspicious/noEmptyInterface: a type alias could not be added to
export interface Tables {}

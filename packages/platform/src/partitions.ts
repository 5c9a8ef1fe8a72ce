import { sql } from 'kysely';
import type { Database, Trx } from './database.ts';
import { named, run } from './statement.ts';

/** Rows are in partitions that somebody has dropped or detached, so nobody can say what there is and what there is not. */
export class MissingPartitions extends Error {
  constructor(names: readonly string[]) {
    super(explainMissing(names));
    this.name = 'MissingPartitions';
  }
}

/** Says in one line which partitions are missing and what to do. */
export function explainMissing(names: readonly string[]): string {
  const [first, ...others] = names;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `the partition ${first}${more} is missing: attach it again, or restore it from a backup`;
}

const findingMissing = () =>
  named('find_missing_partitions', sql<{ name: string }>`select name from missing_partitions() as name`);

/** Finds the partitions of periods that have begun which are not there. Costs a look into the catalog. */
export async function findMissingPartitions(db: Database | Trx): Promise<string[]> {
  return (await run(db, findingMissing())).map(({ name }) => name);
}

/** Call it where something that was asked for is not there, before that is said: it may be in a partition that is missing. */
export async function assertPartitions(db: Database | Trx): Promise<void> {
  const missing = await findMissingPartitions(db);
  if (missing.length > 0) throw new MissingPartitions(missing);
}

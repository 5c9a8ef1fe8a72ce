import { readdirSync } from 'node:fs';

/** Where the migrations of this release lie. */
export const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

/** The last migration of the releases that ran all of theirs in one transaction while nothing else worked. */
const LAST_OF_HISTORY = 50;

/**
 * What a migration is to processes of the release before it. `history`: they cannot work beside it. `expansion`: they go
 * on beside it. `repeat`: an expansion that moves a bounded number of rows and is run until there are none. `contraction`:
 * only processes that know it can work with what it leaves.
 */
export type MigrationKind = 'history' | 'expansion' | 'repeat' | 'contraction';

/** A pair of files, `<name>.up.sql` and `<name>.down.sql`; the number at the beginning of the name is its place. */
export interface ShippedMigration {
  name: string;
  number: number;
  kind: MigrationKind;
}

/** Finds the migrations in a directory, oldest first. */
export function findMigrations(directory: URL): ShippedMigration[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.up.sql'))
    .map((file) => file.slice(0, -'.up.sql'.length))
    .toSorted()
    .map((name) => ({ name, number: numberOf(name), kind: kindOf(name) }));
}

/** The number of a migration, by its name. */
export function numberOf(name: string): number {
  return Number(name.slice(0, 4));
}

function kindOf(name: string): MigrationKind {
  if (numberOf(name) <= LAST_OF_HISTORY) return 'history';
  if (name.endsWith('.contract')) return 'contraction';
  return name.endsWith('.repeat') ? 'repeat' : 'expansion';
}

let shipped: readonly ShippedMigration[] | undefined;

/** The migrations that this release ships, oldest first. Read once: a process is of one release. */
export function shippedMigrations(): readonly ShippedMigration[] {
  shipped ??= findMigrations(MIGRATIONS);
  return shipped;
}

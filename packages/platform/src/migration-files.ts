import { readdir, readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { keepPrivileges } from './new-privileges.ts';
import { recordDefinitions } from './schema-drift.ts';
import { MIGRATIONS, numberOf } from './shipped-migrations.ts';

/** Says in the first line of a function's file that it works only after a contraction. */
const AFTER = /^-- after (\S+)\n/;

/** The files of migrations/, or of another directory like it. */
export class MigrationFiles {
  readonly #directory: URL;

  constructor(directory = MIGRATIONS) {
    this.#directory = directory;
  }

  /** Runs one side of a migration that changes the schema, and records what it changed. */
  async run(db: Kysely<unknown>, name: string, side: 'up' | 'down'): Promise<void> {
    await change(db, await this.#read(`${name}.${side}.sql`));
  }

  /** Runs a `repeat` once. Returns how many rows it moved. */
  async repeat(db: Kysely<unknown>, name: string): Promise<bigint> {
    const { numAffectedRows } = await sql.raw(await this.#read(`${name}.up.sql`)).execute(db);
    if (numAffectedRows === undefined) throw new Error(`${name} must be one INSERT, UPDATE, DELETE or MERGE`);
    return numAffectedRows;
  }

  /**
   * Applies the functions of triggers as they are now, one a file. Those that begin with `-- after <contraction>` belong to
   * that one: they are applied with it, and with every later migration that applies functions.
   */
  async applyFunctions(db: Kysely<unknown>, name: string): Promise<void> {
    const directory = new URL('functions/', this.#directory);
    const files = (await readdir(directory)).toSorted();
    const texts = await Promise.all(files.map((file) => readFile(new URL(file, directory), 'utf8')));
    const isContraction = name.endsWith('.contract');
    const applied = texts.filter((text) => {
      const after = AFTER.exec(text)?.[1];
      if (isContraction) return after === name;
      return after === undefined || numberOf(after) < numberOf(name);
    });
    await change(db, applied.join('\n'));
  }

  #read(file: string): Promise<string> {
    return readFile(new URL(file, this.#directory), 'utf8');
  }
}

/** Runs SQL statements, records what they changed in the schema, and lets the roles use what they made. */
async function change(db: Kysely<unknown>, statements: string): Promise<void> {
  await keepPrivileges(db, () => recordDefinitions(db, async () => void (await sql.raw(statements).execute(db))));
}

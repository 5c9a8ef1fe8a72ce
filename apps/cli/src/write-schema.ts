import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@lockstep/embedded-postgres';
import { dumpSchema, migrateToLatest, openDatabase } from '@lockstep/platform';
import { say } from './say.ts';

const DUMP = new URL('../../../migrations/schema.sql', import.meta.url);

/** `npm run schema`: migrates an empty PostgreSQL of its own, and writes its schema to migrations/schema.sql. */
const directory = await mkdtemp(join(tmpdir(), 'lockstep-schema-'));
try {
  const postgres = await startEmbeddedPostgres({ directory });
  const options = { url: postgres.databaseUrl, poolSize: 1, applicationName: 'lockstep-schema', onError: () => {} };
  const db = openDatabase(options);
  try {
    await migrateToLatest(db);
    await writeFile(DUMP, await dumpSchema(db));
    say('wrote migrations/schema.sql');
  } finally {
    await db.destroy();
    await postgres.stop();
  }
} finally {
  await rm(directory, { recursive: true });
}

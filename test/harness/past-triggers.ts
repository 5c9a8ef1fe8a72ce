import type { Database, Trx } from '@lockstep/platform';
import { sql } from 'kysely';

/** Changes batches in a way that their triggers refuse, as another release may have stored them. */
export async function pastBatchTriggers(db: Database, work: (trx: Trx) => Promise<unknown>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`alter table batch disable trigger user`.execute(trx);
    await work(trx);
    await sql`alter table batch enable trigger user`.execute(trx);
  });
}

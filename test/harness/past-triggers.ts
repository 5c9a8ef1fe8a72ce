import type { Database, Trx } from '@lockstep/platform';
import { sql } from 'kysely';

/** Changes batches and chunks in a way that their triggers refuse, as another release may have stored them. */
export async function pastBatchTriggers(db: Database, work: (trx: Trx) => Promise<unknown>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const table of BATCHES) await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx);
    await work(trx);
    for (const table of BATCHES) await sql`alter table ${sql.table(table)} enable trigger user`.execute(trx);
  });
}

const BATCHES = ['batch', 'lane_chunk'];

const LEDGER = ['asset', 'asset_grant', 'merchandise_instance', 'product_instance'];

/** Changes rows of the ledger in a way that its rules refuse, as version 0.1.0 left them: revoked by nobody knows which order. */
export async function pastLedgerRules(db: Database, work: (trx: Trx) => Promise<unknown>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const table of LEDGER) {
      await sql`
        alter table ${sql.table(table)} disable trigger user,
          drop constraint ${sql.ref(`${table}_revoked_by`)}`.execute(trx);
    }
    await work(trx);
    for (const table of LEDGER) {
      await sql`
        alter table ${sql.table(table)} enable trigger user,
          add constraint ${sql.ref(`${table}_revoked_by`)}
            check ((revoked_time is null) = (revoked_by_order_id is null)) not valid`.execute(trx);
    }
  });
}

import type { Database, Tables, Trx } from '@lockstep/platform';
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

/** Drops the function of triggers that a test has added to a table, and them with it. */
export async function dropTriggerFunction(db: Database, table: keyof Tables, name: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // First the table, as everybody else, or PostgreSQL may find a deadlock.
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
    await sql`drop function ${sql.ref(name)} cascade`.execute(trx);
  });
}

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

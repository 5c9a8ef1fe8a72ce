import type { Database } from '@lockstep/platform';

/** Inserts license terms with some fields. Returns their id. */
export async function insertTerms(db: Database, fields: { productUri: string; productName: string }): Promise<string> {
  const inserted = db.insertInto('product_terms').values({ fields: JSON.stringify(fields) });
  const { id } = await inserted.returning('id').executeTakeFirstOrThrow();
  return id;
}

import { readdir, readFile } from 'node:fs/promises';
import { migrateDown, migrateToLatest, type Tables } from '@lockstep/platform';
import { type ControlledTransaction, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from './harness/stack.ts';

const MIGRATIONS = new URL('../migrations/', import.meta.url);
const TABLES = new URL('../packages/platform/src/tables.ts', import.meta.url);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Everything that stands in the schema `public`, a line a thing, but for what the migrator keeps there. */
async function readSchema(): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with ours as (
      select * from pg_class
      where relnamespace = 'public'::regnamespace and relname not like 'kysely%' and relkind in ('r', 'S', 'v', 'i')
    )
    select format('%s %s %s', relkind, relname, reloptions) as line from ours
    union all
    select format('column %s.%s %s %s %s %s', relname, attname, format_type(atttypid, atttypmod), attnotnull, attstorage,
      pg_get_expr(adbin, attrelid))
    from ours join pg_attribute on attrelid = ours.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped
    union all
    select pg_get_indexdef(oid) from ours where relkind = 'i'
    union all
    select format('constraint on %s: %s', relname, pg_get_constraintdef(pg_constraint.oid))
    from ours join pg_constraint on conrelid = ours.oid
    union all
    select pg_get_triggerdef(pg_trigger.oid) from ours join pg_trigger on tgrelid = ours.oid where not tgisinternal
    union all
    select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select format('type %s', typname) from pg_type
    where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
    order by line`.execute(database.db);
  return rows.map(({ line }) => line);
}

async function migrationNames(): Promise<string[]> {
  const files = await readdir(MIGRATIONS);
  return files.filter((file) => file.endsWith('.up.sql')).map((file) => file.slice(0, -'.up.sql'.length));
}

async function run(file: string): Promise<void> {
  await sql.raw(await readFile(new URL(file, MIGRATIONS), 'utf8')).execute(database.db);
}

describe('the migrations', () => {
  it('come in pairs, numbered without gaps', async () => {
    const names = await migrationNames();
    const numbers = names.map((name) => Number(name.slice(0, 4)));
    expect(numbers).toEqual(names.map((_, index) => index + 1));
    const files = names.flatMap((name) => [`${name}.down.sql`, `${name}.up.sql`]);
    expect((await readdir(MIGRATIONS)).toSorted()).toEqual(files);
  });

  it('leave nothing behind when they are taken back, and then make the same again', async () => {
    const before = await readSchema();
    const names = await migrationNames();
    expect(await migrateDown(database.db)).toEqual(names.toReversed());
    expect(await readSchema()).toEqual([]);
    expect(await migrateToLatest(database.db)).toEqual(names);
    expect(await readSchema()).toEqual(before);
  });

  it('undo themselves, each alone', async () => {
    const complete = await readSchema();
    await migrateDown(database.db);
    for (const name of await migrationNames()) {
      const before = await readSchema();
      await run(`${name}.up.sql`);
      const after = await readSchema();
      expect(after).not.toEqual(before);
      await run(`${name}.down.sql`);
      expect([name, await readSchema()]).toEqual([name, before]);
      await run(`${name}.up.sql`);
      expect([name, await readSchema()]).toEqual([name, after]);
    }
    for (const name of (await migrationNames()).toReversed()) await run(`${name}.down.sql`);
    await migrateToLatest(database.db);
    expect(await readSchema()).toEqual(complete);
  });

  it('do nothing where there is nothing to do', async () => {
    expect(await migrateToLatest(database.db)).toEqual([]);
  });

  it('do not collide when processes start together', async () => {
    const names = await migrationNames();
    await migrateDown(database.db);
    const applied = await Promise.all([1, 2, 3].map(() => migrateToLatest(database.db)));
    expect(applied.flat()).toEqual(names);
  });
});

/** What tables.ts says of each column, read from its source: is it nullable, does it fill itself, what is its type. */
async function readTablesSource(): Promise<Record<string, string>> {
  const source = await readFile(TABLES, 'utf8');
  const body = source.slice(source.indexOf('interface Tables {') + 'interface Tables {'.length);
  const columns = [...body.matchAll(/(\w+): \{([^}]*)\}/g)].flatMap(([, table, list]) =>
    [...list!.matchAll(/(\w+): ([^;]+)/g)].map(([, column, type]) => [`${table}.${column}`, type!.trim()]),
  );
  return Object.fromEntries(columns);
}

/** The TypeScript type of a column of the database as the driver reads it. */
async function readColumns(): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string; type: string; nullable: boolean; generated: boolean }>`
    select table_name || '.' || column_name as name, udt_name as type, is_nullable = 'YES' as nullable,
      column_default is not null or is_identity = 'YES' as generated
    from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'`.execute(
    database.db,
  );
  const typeOf: Record<string, string> = {
    ...{ int8: 'string', text: 'string', int2: 'number', int4: 'number', bool: 'boolean', bytea: 'Buffer' },
    ...{ timestamptz: 'Date', jsonb: 'unknown', _text: 'string[]', _int4: 'number[]' },
  };
  return Object.fromEntries(
    rows.map(({ name, type, nullable, generated }) => {
      const read = `${typeOf[type]}${nullable ? ' | null' : ''}`;
      return [name, generated ? `Generated<${read}>` : read];
    }),
  );
}

describe('the list of tables', () => {
  it('is what the migrations make, column by column', async () => {
    const listed = Object.entries(await readTablesSource()).map(([column, type]) => {
      // Where the list knows more than the database: literals of a text, the shape of a document.
      const plain = type.replace(/'\w+'( \| '\w+')*/, 'string').replace(/Record<string, string>/, 'unknown');
      return [column, plain];
    });
    expect(Object.fromEntries(listed)).toEqual(await readColumns());
  });
});

/** Valid rows, in an order in which they can be inserted. */
const rows = {
  application: { id: 1, app_key: 'k1', name: 'Test', secret_hash: Buffer.of(1), scopes: ['auth_order'] },
  access_token: { token_hash: Buffer.of(1), application_id: 1, scopes: ['auth_order'], expires_time: new Date() },
  nonce: { application_id: 1, nonce: 'n1', used_time: new Date() },
  enterprise: { id: 1, name: 'E1', code: 'abc234', crm_customer_id: 'crm1' },
  customer: {
    ...{ id: 1, enterprise_id: 1, channel_code: 'test', channel_customer_id: 'c1', name: 'Customer' },
    ...{ branch_name: 'Branch', is_default: true },
  },
  member: { id: 1, enterprise_id: 1, user_name: 'admin', is_administrator: true },
  batch: {
    ...{ id: 1, application_id: 1, channel_code: 'test', channel_order_id: 'b1', sync_mode: 'async' },
    ...{ digest: Buffer.of(1), sequences: [1], customer_ids: ['1'], order_types: ['new_buy'] },
  },
  lane_chunk: { batch_id: 1, lane: 3, order_count: 2, weight: 2, payload: '[]' },
  license_order: { id: 8192, order_type: 'new_buy', customer_id: '1', assets: 1, products: 1 },
  asset: { id: 1, asset_num: 'X1', customer_id: 1, license_type: 'softkey', borrowed_usb_key: false, extends: '{}' },
  asset_grant: { asset_id: 1, license_order_id: 8192 },
  merchandise_instance: {
    ...{ id: 1, asset_id: 1, license_order_id: 8192, crm_product_id: 'c', parent_crm_product_id: '' },
    ...{ merchandise_num: 'M', merchandise_name: 'M', parent_merchandise_num: '', time_duration_expression: '1-0-0' },
  },
  product_instance: {
    ...{ id: 1, asset_id: 1, license_order_id: 8192, crm_product_id: 'c', product_uri: 'a', product_name: 'A' },
    ...{ limit_concurrent: 0, details: '{}' },
  },
  asset_assignment: { asset_id: 1, member_id: 1 },
  asset_lending: { asset_id: 1, lock_asset_id: 2 },
} satisfies Record<string, Record<string, unknown>>;
type Table = keyof typeof rows;

describe('the constraints', () => {
  const now = new Date();

  let trx: ControlledTransaction<Tables>;

  // Every test sees the valid rows, and leaves nothing.
  beforeEach(async () => {
    trx = await database.db.startTransaction().execute();
    for (const table of Object.keys(rows) as Table[]) {
      if (table === 'asset_lending') await insert('asset', { id: 2, asset_num: 'LOCK' });
      await insert(table);
    }
  });
  afterEach(() => trx.rollback().execute());

  /** Inserts the table's valid row, with changes. */
  async function insert(table: Table, changes: Record<string, unknown> = {}): Promise<void> {
    const row = { ...rows[table], ...changes };
    const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)));
    const values = sql.join(Object.values(row));
    await sql`insert into ${sql.table(table)} (${columns}) overriding system value values (${values})`.execute(trx);
  }

  const UNIQUE = '23505';
  const FOREIGN_KEY = '23503';
  const CHECK = '23514';

  it.each<[string, string, Table, Record<string, unknown>]>([
    ['two applications with one key', UNIQUE, 'application', { id: 2 }],
    ['an application of an unknown status', CHECK, 'application', { id: 2, app_key: 'k2', status: 'new' }],
    ['an application with an unknown scope', CHECK, 'application', { id: 2, app_key: 'k2', scopes: ['auth_all'] }],
    ['a token of no application', FOREIGN_KEY, 'access_token', { token_hash: Buffer.of(2), application_id: 9 }],
    ['a nonce twice', UNIQUE, 'nonce', {}],
    ['two enterprises with one name', UNIQUE, 'enterprise', { id: 2, code: 'abc235', crm_customer_id: null }],
    ['two enterprises with one code', UNIQUE, 'enterprise', { id: 2, name: 'E2', crm_customer_id: null }],
    ['two enterprises of one CRM customer', UNIQUE, 'enterprise', { id: 2, name: 'E2', code: 'abc235' }],
    [
      'an enterprise code of 5 letters',
      CHECK,
      'enterprise',
      { id: 2, name: 'E2', code: 'abcde', crm_customer_id: null },
    ],
    [
      'an enterprise code in capitals',
      CHECK,
      'enterprise',
      { id: 2, name: 'E2', code: 'ABCDEF', crm_customer_id: null },
    ],
    ['a channel customer twice', UNIQUE, 'customer', { id: 2, is_default: false }],
    ['a second default customer', UNIQUE, 'customer', { id: 2, channel_customer_id: 'c2' }],
    ['an account name twice', UNIQUE, 'member', { id: 2 }],
    ['an account name with a hyphen', CHECK, 'member', { id: 2, user_name: 'ad-min' }],
    ['a channelOrderId twice', UNIQUE, 'batch', { id: 2 }],
    ['a batch of an unknown mode', CHECK, 'batch', { id: 2, channel_order_id: 'b2', sync_mode: 'both' }],
    ['a batch whose order ids would pass 2^53', CHECK, 'batch', { id: '1099511627776', channel_order_id: 'b2' }],
    [
      'a batch without orders',
      CHECK,
      'batch',
      { id: 2, channel_order_id: 'b2', sequences: [], customer_ids: [], order_types: [] },
    ],
    [
      'a batch with more sequences than customers',
      CHECK,
      'batch',
      { id: 2, channel_order_id: 'b2', sequences: [1, 2] },
    ],
    ['a batch with more types than orders', CHECK, 'batch', { id: 2, channel_order_id: 'b2', order_types: ['a', 'b'] }],
    ['two chunks of a batch in one lane', UNIQUE, 'lane_chunk', {}],
    ['a chunk of no batch', FOREIGN_KEY, 'lane_chunk', { batch_id: 9 }],
    ['a chunk without orders', CHECK, 'lane_chunk', { lane: 4, order_count: 0 }],
    ['a chunk lighter than its orders', CHECK, 'lane_chunk', { lane: 4, weight: 1 }],
    ['a pending chunk without payload', CHECK, 'lane_chunk', { lane: 4, payload: null }],
    ['a pending chunk with counts', CHECK, 'lane_chunk', { lane: 4, succeeded: 1, failed: 1 }],
    ['a finished chunk with a payload', CHECK, 'lane_chunk', { lane: 4, finished_time: now, succeeded: 1, failed: 1 }],
    ['a finished chunk without counts', CHECK, 'lane_chunk', { lane: 4, payload: null, finished_time: now }],
    [
      'a finished chunk with one count',
      CHECK,
      'lane_chunk',
      { lane: 4, payload: null, finished_time: now, succeeded: 2 },
    ],
    [
      'a finished chunk that lost an order',
      CHECK,
      'lane_chunk',
      { lane: 4, payload: null, finished_time: now, succeeded: 1, failed: 0 },
    ],
    ['two outcomes of an order', UNIQUE, 'license_order', {}],
    ['an order of an unknown type', CHECK, 'license_order', { id: 8193, order_type: 'refund' }],
    ['a failed order without a message', CHECK, 'license_order', { id: 8193, cause: 'x', assets: 0, products: 0 }],
    ['a succeeded order with a message', CHECK, 'license_order', { id: 8193, message: 'x' }],
    ['a failed order with assets', CHECK, 'license_order', { id: 8193, cause: 'x', message: 'x', products: 0 }],
    ['a failed order with products', CHECK, 'license_order', { id: 8193, cause: 'x', message: 'x', assets: 0 }],
    ['an order with less than no assets', CHECK, 'license_order', { id: 8193, assets: -1 }],
    ['two active assets with one number', UNIQUE, 'asset', { id: 3 }],
    ['an asset of no customer', FOREIGN_KEY, 'asset', { id: 3, asset_num: 'X3', customer_id: 9 }],
    ['an asset whose codes are no object', CHECK, 'asset', { id: 3, asset_num: 'X3', extends: '[]' }],
    ['two grants of an order to an asset', UNIQUE, 'asset_grant', {}],
    ['a grant to no asset', FOREIGN_KEY, 'asset_grant', { asset_id: 9 }],
    ['a merchandise on no asset', FOREIGN_KEY, 'merchandise_instance', { id: 2, asset_id: 9 }],
    ['a merchandise in none', FOREIGN_KEY, 'merchandise_instance', { id: 2, parent_id: 9 }],
    ['a product on no asset', FOREIGN_KEY, 'product_instance', { id: 2, asset_id: 9 }],
    ['a product in no merchandise', FOREIGN_KEY, 'product_instance', { id: 2, merchandise_id: 9 }],
    ['a product with less than no nodes', CHECK, 'product_instance', { id: 2, limit_concurrent: -1 }],
    ['two holders of an asset', UNIQUE, 'asset_assignment', {}],
    ['an asset lent twice', UNIQUE, 'asset_lending', {}],
    ['a lock lent into itself', CHECK, 'asset_lending', { asset_id: 2 }],
  ])('refuse %s', async (_, state, table, changes) => {
    await expect(insert(table, changes)).rejects.toMatchObject({ code: state });
  });

  it.each<[string, Table, Record<string, unknown>]>([
    ['a revoked asset beside the active one of its number', 'asset', { id: 3, revoked_time: now }],
    ['a second customer of an enterprise', 'customer', { id: 2, channel_customer_id: 'c2', is_default: false }],
    ['the same channelOrderId on another channel', 'batch', { id: 2, channel_code: 'other' }],
    ['the last batch id', 'batch', { id: '1099511627775', channel_order_id: 'b2' }],
    ['a finished chunk', 'lane_chunk', { lane: 4, payload: null, finished_time: now, succeeded: 2, failed: 0 }],
    ['a failed order', 'license_order', { id: 8193, cause: 'x', message: 'x', assets: 0, products: 0 }],
  ])('allow %s', async (_, table, changes) => {
    await insert(table, changes);
  });

  it('refuse to revoke an asset with something active on it', async () => {
    const contents = ['asset_grant', 'merchandise_instance', 'product_instance'] as const;
    const revoke = async (table: Table) => {
      const column = sql.ref(table === 'asset' ? 'id' : 'asset_id');
      await sql`update ${sql.table(table)} set revoked_time = now() where ${column} = 1`.execute(trx);
    };
    for (const active of contents) {
      await sql`savepoint all_active`.execute(trx);
      for (const table of contents) if (table !== active) await revoke(table);
      await expect(revoke('asset')).rejects.toMatchObject({ code: CHECK });
      await sql`rollback to savepoint all_active`.execute(trx);
    }
    for (const table of [...contents, 'asset'] as const) await revoke(table);
  });

  it.each<[Table, Record<string, unknown>]>([
    ['asset_grant', { license_order_id: 8193 }],
    ['merchandise_instance', { id: 2 }],
    ['product_instance', { id: 2 }],
  ])('refuse an active %s on a revoked asset, and allow a revoked one', async (table, changes) => {
    await insert('asset', { id: 3, revoked_time: now });
    const row = { ...changes, asset_id: 3 };
    await insert(table, { ...row, revoked_time: now });
    await sql`delete from ${sql.table(table)} where asset_id = 3`.execute(trx);
    await expect(insert(table, row)).rejects.toMatchObject({ code: FOREIGN_KEY });
  });

  it('allow any number of revoked assets with one number', async () => {
    for (const id of [3, 4, 5]) await insert('asset', { id, asset_num: 'LOCK', revoked_time: now });
    await sql`update asset set revoked_time = now() where id = 2`.execute(trx);
    await insert('asset', { id: 6, asset_num: 'LOCK' });
    await expect(sql`update asset set revoked_time = null where id = 3`.execute(trx)).rejects.toMatchObject({
      constraint: 'asset_active_number',
    });
  });
});

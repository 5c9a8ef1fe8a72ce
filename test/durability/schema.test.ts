import { readdir, readFile } from 'node:fs/promises';
import { LedgerIds, setLocked } from '@lockstep/assets';
import { type ApplicationId, BatchOrder, type Customer, type LicenseOrderId, LicenseType } from '@lockstep/contract';
import {
  behindSavepoint,
  createLogger,
  type Database,
  Deadline,
  migrateDown,
  migrateToLatest,
  type Tables,
  TransactionQueue,
} from '@lockstep/platform';
import { type ControlledTransaction, sql } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { drainLanes } from '../../packages/orders/src/drain.ts';
import { Holds } from '../../packages/orders/src/holds.ts';
import { LANE_COUNT } from '../../packages/orders/src/lanes.ts';
import { prepareBatch } from '../../packages/orders/src/prepare.ts';
import { batchOf, deleteAsset, deleteProduct, newBuy, type Sent } from '../harness/orders.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

const silent = createLogger({ name: 'test', level: 'silent' });

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
      where relnamespace = 'public'::regnamespace and relname not like 'kysely%' and relkind in ('r', 'p', 'S', 'v', 'i', 'I')
    )
    select format('%s %s %s', relkind, relname, reloptions) as line from ours
    union all
    select format('column %s.%s %s %s %s %s', relname, attname, format_type(atttypid, atttypmod), attnotnull, attstorage,
      pg_get_expr(adbin, attrelid))
    from ours join pg_attribute on attrelid = ours.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped
    union all
    select pg_get_indexdef(oid) from ours where relkind in ('i', 'I')
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

async function run(file: string, db: Database = database.db): Promise<void> {
  await sql.raw(await readFile(new URL(file, MIGRATIONS), 'utf8')).execute(db);
}

describe('the migrations', () => {
  it('come in pairs, numbered without gaps', async () => {
    const names = await migrationNames();
    const numbers = names.map((name) => Number(name.slice(0, 4)));
    expect(numbers).toEqual(names.map((_, index) => index + 1));
    const files = names.flatMap((name) => [`${name}.down.sql`, `${name}.up.sql`]);
    expect((await readdir(MIGRATIONS)).toSorted()).toEqual([...files, 'functions', 'schema.sql']);
  });

  it('leave nothing behind when they are taken back, and then make the same again', async () => {
    const before = await readSchema();
    const names = await migrationNames();
    expect(await migrateDown(database.db)).toEqual(names.toReversed());
    expect(await readSchema()).toEqual([]);
    expect((await migrateToLatest(database.db)).applied).toEqual(names);
    expect(await readSchema()).toEqual(before);
  });

  it('undo themselves, each alone', async () => {
    const complete = await readSchema();
    await migrateDown(database.db);
    let before = await readSchema();
    for (const name of await migrationNames()) {
      await run(`${name}.up.sql`);
      const after = await readSchema();
      // A back-fill moves rows, and there are none.
      if (!name.endsWith('.repeat')) expect(after).not.toEqual(before);
      await run(`${name}.down.sql`);
      expect([name, await readSchema()]).toEqual([name, before]);
      await run(`${name}.up.sql`);
      before = after;
    }
    for (const name of (await migrationNames()).toReversed()) await run(`${name}.down.sql`);
    await migrateToLatest(database.db);
    expect(await readSchema()).toEqual(complete);
  });

  it('keep failed logins as those of all applications, and a lock of any application as one of the account', async () => {
    const other = await createTestDatabase();
    const failures = async () => {
      const { rows } = await sql<Record<string, unknown>>`
        select to_jsonb(failure) as row from login_failure as failure order by 1`.execute(other.db);
      return rows.map(({ row }) => row);
    };
    const migration = '0030_login_failure_application';
    try {
      const later = (await migrationNames()).filter((name) => name > migration);
      for (const name of later.toReversed()) await run(`${name}.down.sql`, other.db);
      const until = new Date(Date.now() + 60_000).toISOString();
      for (const application_id of [0, 1, 2]) {
        const locked_until = application_id === 2 ? until : null;
        await insertInto(other.db, 'login_failure', { application_id, locked_until });
      }
      await run(`${migration}.down.sql`, other.db);
      const [kept, ...others] = (await failures()) as Record<string, string>[];
      expect(others).toEqual([]);
      expect(kept).toMatchObject({ failed_times: [] });
      expect(Date.parse(kept!.locked_until!)).toBe(Date.parse(until));
      await run(`${migration}.up.sql`, other.db);
      expect(await failures()).toEqual([{ ...kept, application_id: 0 }]);
    } finally {
      await other.close();
    }
  });

  it('do nothing where there is nothing to do', async () => {
    expect((await migrateToLatest(database.db)).applied).toEqual([]);
  });

  it('do not collide when processes start together', async () => {
    const names = await migrationNames();
    await migrateDown(database.db);
    const applied = await Promise.all([1, 2, 3].map(() => migrateToLatest(database.db)));
    expect(applied.flatMap((each) => each.applied)).toEqual(names);
  });
});

const EMPTY = '{"before": null, "after": null}';

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
  member: { id: 1, enterprise_id: 1, user_name: 'admin', name: 'Ann', is_administrator: true, is_provisioned: true },
  login_failure: {
    account_hash: Buffer.of(1),
    application_id: 1,
    failed_times: sql`array[now()]`,
    expires_time: new Date(),
  },
  member_audit: {
    enterprise_id: 1,
    actor_id: 0,
    action: 'password_reset',
    target_id: 1,
    detail: EMPTY,
    request_id: 'r',
  },
  batch: {
    ...{ id: 1, application_id: 1, channel_code: 'test', channel_order_id: 'b1', sync_mode: 'async' },
    ...{ digest: Buffer.of(1), sequences: [1], customer_ids: ['1'], order_types: ['new_buy'] },
  },
  lane_chunk: { batch_id: 1, lane: 3, order_count: 2, weight: 2, payload: '[]' },
  license_order: { id: 8192, order_type: 'new_buy', customer_id: '1', assets: 1, products: 1 },
  asset: { id: 1, asset_num: 'X1', customer_id: 1, license_type: 'softkey', borrowed_usb_key: false, extends: '{}' },
  asset_transfer: { asset_id: 1, license_order_id: 8192, from_customer_id: 7, to_customer_id: 1 },
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
  lock_audit: { asset_id: 1, locked: true, operator_identity: 'Me', application_id: 1, request_id: 'r1' },
} satisfies Record<string, Record<string, unknown>>;
type Table = keyof typeof rows;
type Row = Record<string, unknown>;

/** Inserts the table's valid row, with changes; without the columns that they make undefined. */
async function insertInto(db: Database, table: Table, changes: Record<string, unknown> = {}): Promise<void> {
  const row = Object.entries({ ...rows[table], ...changes }).filter(([, value]) => value !== undefined);
  const columns = sql.join(row.map(([column]) => sql.ref(column)));
  const values = sql.join(row.map(([, value]) => value));
  await sql`insert into ${sql.table(table)} (${columns}) overriding system value values (${values})`.execute(db);
}

describe('the constraints', () => {
  /** The database's clock: the times that it fills in itself are not before the transaction's, nor after this. */
  const now = sql`statement_timestamp()`;

  let trx: ControlledTransaction<Tables>;

  // Every test sees the valid rows, and leaves nothing.
  beforeEach(async () => {
    trx = await database.db.startTransaction().execute();
    for (const table of Object.keys(rows) as Table[]) {
      if (table === 'asset_transfer') await insert('customer', { id: 7, channel_customer_id: 'c7', is_default: false });
      if (table === 'asset_lending') await insert('asset', { id: 2, asset_num: 'LOCK', borrowed_usb_key: true });
      await insert(table);
    }
  });
  afterEach(() => trx.rollback().execute());

  async function insert(table: Table, changes: Record<string, unknown> = {}): Promise<void> {
    if (table === 'batch') {
      const { id, application_id, channel_code, channel_order_id } = { ...rows.batch, ...changes };
      await sql`
        insert into batch_key values (${application_id}, ${channel_code}, ${channel_order_id}, ${id})
        on conflict do nothing`.execute(trx);
    }
    await insertInto(trx, table, changes);
  }

  /** The fields that must differ in a second employee. */
  const kim = { id: 2, user_name: 'kim' };

  const UNIQUE = '23505';
  const FOREIGN_KEY = '23503';
  const CHECK = '23514';

  it.each<[string, string, Table, Record<string, unknown>]>([
    ['two applications with one key', UNIQUE, 'application', { id: 2 }],
    ['an application of an unknown status', CHECK, 'application', { id: 2, app_key: 'k2', status: 'new' }],
    ['an application with an unknown scope', CHECK, 'application', { id: 2, app_key: 'k2', scopes: ['auth_all'] }],
    ['an application that is bound, but to no channel', CHECK, 'application', { id: 2, app_key: 'k2', channels: [] }],
    ['an application bound to a nameless channel', CHECK, 'application', { id: 2, app_key: 'k2', channels: [''] }],
    ['an old secret that does not end', CHECK, 'application', { id: 2, app_key: 'k2', old_secret_hash: Buffer.of(2) }],
    ['an end of no old secret', CHECK, 'application', { id: 2, app_key: 'k2', old_secret_end_time: new Date() }],
    ['an application bound to null', CHECK, 'application', { id: 2, app_key: 'k2', channels: ['test', null] }],
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
    ['an employee without a name', CHECK, 'member', { ...kim, name: '' }],
    ['a name of 31 characters', CHECK, 'member', { ...kim, name: '𠀀'.repeat(31) }],
    ['a remark of 201 characters', CHECK, 'member', { ...kim, remark: '𠀀'.repeat(201) }],
    ['a department below 0', CHECK, 'member', { ...kim, department_id: -1 }],
    ['a password as it is', CHECK, 'member', { ...kim, password_hash: 'correct horse' }],
    ['a user token of no employee', FOREIGN_KEY, 'access_token', { token_hash: Buffer.of(2), member_id: 9 }],
    ['two counts of failed logins of an account through an application', UNIQUE, 'login_failure', {}],
    [
      'an enterprise that no application made',
      FOREIGN_KEY,
      'enterprise',
      { id: 2, name: 'E2', code: 'abc235', crm_customer_id: null, created_by_application_id: 9 },
    ],
    ['a change in no enterprise', FOREIGN_KEY, 'member_audit', { enterprise_id: 9 }],
    ['a change of no employee', FOREIGN_KEY, 'member_audit', { target_id: 9 }],
    ['a change that does not say what was before', CHECK, 'member_audit', { detail: '{"after": null}' }],
    ['a change that does not say what is after', CHECK, 'member_audit', { detail: '{"before": null}' }],
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
    ['a chunk with more outcomes than orders', CHECK, 'lane_chunk', { lane: 4, succeeded: 2, failed: 1 }],
    ['a chunk with less than no failed orders', CHECK, 'lane_chunk', { lane: 4, failed: -1 }],
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
    ['a change of a lock that does not exist', FOREIGN_KEY, 'lock_audit', { asset_id: 9 }],
    ['a change of a lock by no application', FOREIGN_KEY, 'lock_audit', { application_id: 9 }],
  ])('refuse %s', async (_, state, table, changes) => {
    await expect(insert(table, changes)).rejects.toMatchObject({ code: state });
  });

  it.each<[string, Table, Record<string, unknown>]>([
    [
      'a revoked asset beside the active one of its number',
      'asset',
      { id: 3, revoked_time: now, revoked_by_order_id: 8192 },
    ],
    ['a second customer of an enterprise', 'customer', { id: 2, channel_customer_id: 'c2', is_default: false }],
    ['the same channelOrderId on another channel', 'batch', { id: 2, channel_code: 'other' }],
    ['a finished chunk', 'lane_chunk', { lane: 4, payload: null, finished_time: now, succeeded: 2, failed: 0 }],
    ['a deleted employee beside the one of his account', 'member', { id: 2, deleted_time: now }],
    ['an account’s failed logins through all applications', 'login_failure', { application_id: 0 }],
    ['a name of 30 characters', 'member', { ...kim, name: '𠀀'.repeat(30) }],
    ['a remark of 200 characters', 'member', { ...kim, remark: '𠀀'.repeat(200) }],
    ['a password as argon2id', 'member', { ...kim, password_hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA' }],
    ['a user token', 'access_token', { token_hash: Buffer.of(2), member_id: 1 }],
    ['a change of nobody', 'member_audit', { target_id: null }],
    ['a failed order', 'license_order', { id: 8193, cause: 'x', message: 'x', assets: 0, products: 0 }],
  ])('allow %s', async (_, table, changes) => {
    await insert(table, changes);
  });

  it('allow any number of revoked assets with one number', async () => {
    await sql`delete from asset_lending`.execute(trx);
    const revoked = { revoked_time: now, revoked_by_order_id: 8192 };
    for (const id of [3, 4, 5]) await insert('asset', { id, asset_num: 'LOCK', ...revoked });
    await sql`update asset set revoked_time = ${now}, revoked_by_order_id = 8192 where id = 2`.execute(trx);
    await insert('asset', { id: 6, asset_num: 'LOCK' });
    await expect(
      sql`update asset set revoked_time = null, revoked_by_order_id = null where id = 3`.execute(trx),
    ).rejects.toMatchObject({
      constraint: 'asset_active_number',
    });
  });

  const another = { id: 3, asset_num: 'X3' };
  const T0 = '2000-01-01T00:00:00Z';
  const T1 = '2000-01-01T00:00:00.001Z';
  const REVOCABLE = ['asset', 'asset_grant', 'merchandise_instance', 'product_instance'] as const;
  const CHANGEABLE = ['asset', 'merchandise_instance', 'product_instance'] as const;
  /** The fields that must differ in a second row, by table. */
  const second = {
    asset: another,
    asset_grant: { asset_id: 2 },
    merchandise_instance: { id: 2 },
    product_instance: { id: 2 },
  };
  const finished = { lane: 4, payload: null, succeeded: 2, failed: 0 };

  type Neighbours = [what: string, constraint: string, table: Table, refused: Row, allowed: Row];

  it.each<Neighbours>([
    ...REVOCABLE.map((table): Neighbours => {
      const created = { ...second[table], created_time: T1, ...(table !== 'asset_grant' && { updated_time: T1 }) };
      const times = [T0, T1].map((revoked_time) => ({ ...created, revoked_time, revoked_by_order_id: 8192 }));
      return [`a ${table} revoked before it was created`, `${table}_times`, table, times[0]!, times[1]!];
    }),
    ...CHANGEABLE.map((table): Neighbours => {
      const times = [T0, T1].map((updated_time) => ({ ...second[table], created_time: T1, updated_time }));
      return [`a ${table} changed before it was created`, `${table}_times`, table, times[0]!, times[1]!];
    }),
    [
      'a chunk finished before it was accepted',
      'lane_chunk_times',
      'lane_chunk',
      { ...finished, accepted_time: T1, finished_time: T0 },
      { ...finished, accepted_time: T1, finished_time: T1 },
    ],
    [
      'an employee deleted before it was made',
      'member_times',
      'member',
      { ...kim, created_time: T1, updated_time: T1, deleted_time: T0 },
      { ...kim, created_time: T1, updated_time: T1, deleted_time: T1 },
    ],
    [
      'an employee changed before it was made',
      'member_times',
      'member',
      { ...kim, created_time: T1, updated_time: T0 },
      { ...kim, created_time: T1, updated_time: T1 },
    ],
    [
      'a product that ends before it starts',
      'product_instance_period',
      'product_instance',
      { id: 2, limit_start_date: 2, limit_end_date: 1 },
      { id: 2, limit_start_date: 2, limit_end_date: 2 },
    ],
    [
      'an asset of an unknown license type',
      'asset_license_type',
      'asset',
      { ...another, license_type: 'usbkey' },
      { ...another, license_type: 'identity_usbkey' },
    ],
  ])('refuse %s, and allow what is next to it', async (_, constraint, table, refused, allowed) => {
    await expect(behindSavepoint(trx, () => insert(table, refused))).rejects.toMatchObject({ code: CHECK, constraint });
    await insert(table, allowed);
  });

  it.each([{ limit_start_date: 5 }, { limit_end_date: 5 }, {}])('allow a product of the open period %j', (period) =>
    insert('product_instance', { id: 2, ...period }),
  );

  it.each([...REVOCABLE, 'asset_transfer'] as const)(
    'give a %s the times of the statement, which come after those of the transaction',
    async (table) => {
      const times = { asset_grant: sql`created_time`, asset_transfer: sql`transferred_time` }[table as string];
      const { rows } =
        await sql`select ${times ?? sql`least(created_time, updated_time)`} > now() as later from ${sql.table(table)}`.execute(
          trx,
        );
      expect(rows).toContainEqual({ later: true });
      expect(rows).not.toContainEqual({ later: false });
    },
  );

  /** The license types with which an asset may be inserted as it is told. */
  async function typesThatAllow(changes: Record<string, unknown>): Promise<LicenseType[]> {
    const allowed: LicenseType[] = [];
    for (const license_type of LicenseType.options) {
      const row = { id: 100 + allowed.length, asset_num: license_type, license_type, ...changes };
      const outcome = behindSavepoint(trx, () => insert('asset', row));
      const constraint = await outcome.then(
        () => null,
        (error) => error.constraint,
      );
      if (constraint === null) allowed.push(license_type);
      else expect(constraint).toMatch(/^asset_(lock|freez)able$/);
    }
    return allowed;
  }

  it('allow exactly the license types of the contract', async () => {
    const { rows } = await sql<{ definition: string }>`
      select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'asset_license_type'`.execute(
      trx,
    );
    const listed = [...rows[0]!.definition.matchAll(/'(\w*)'::text/g)].map(([, type]) => type!);
    expect(listed.toSorted()).toEqual(LicenseType.options.toSorted());
    expect(await typesThatAllow({})).toEqual(LicenseType.options);
  });

  it('allow exactly those assets to be locked that O6 locks', async () => {
    const other = await createTestDatabase();
    try {
      for (const table of ['application', 'enterprise', 'customer'] as const) await insertInto(other.db, table);
      for (const [id, type] of LicenseType.options.entries()) {
        await insertInto(other.db, 'asset', { id, asset_num: type, license_type: type });
      }
      const by = { operatorIdentity: 'Me', applicationId: '1' as ApplicationId, channels: null, requestId: 'r1' };
      const changes = new TransactionQueue(other.db, { atOnce: 1, atOnceOfParty: 1 });
      const tools = { changes, deadline: new Deadline(30_000), log: silent };
      const results = await setLocked(tools, { ...by, assetNums: LicenseType.options, locked: true });
      const lockable = results.filter(({ status }) => status === 1).map(({ assetNum }) => assetNum);
      expect(lockable).toHaveLength(4);
      expect(await typesThatAllow({ locked: true })).toEqual(lockable);
    } finally {
      await other.close();
    }
  });

  it('allow certificates alone to be frozen, and none to be both frozen and locked', async () => {
    expect(await typesThatAllow({ freezing: true })).toEqual(['softkey', 'lan_softkey']);
    expect(await typesThatAllow({ freezing: true, locked: true })).toEqual([]);
  });

  it('refuse to lock an asset that is there, unless it is of a type that can be locked', async () => {
    const lock = (id: number) =>
      behindSavepoint(trx, () => sql`update asset set locked = true where id = ${id}`.execute(trx));
    await insert('asset', { ...another, license_type: 'lk_auth_usbkey' });
    await expect(lock(1)).rejects.toMatchObject({ constraint: 'asset_lockable' });
    await lock(3);
  });

  it('number the changes of locks themselves, and note the time of the statement', async () => {
    const row = sql`(asset_id, locked, operator_identity, application_id, request_id) values (1, false, 'Me', 1, 'r2')`;
    await sql`insert into lock_audit ${row}`.execute(trx);
    const audit = await trx.selectFrom('lock_audit').select(sql`recorded_time > now()`.as('later')).execute();
    expect(audit).toEqual([{ later: true }, { later: true }]);
    const given = sql`insert into lock_audit (id, asset_id, locked, operator_identity, application_id, request_id)
      values (7, 1, false, 'Me', 1, 'r3')`;
    await expect(given.execute(trx)).rejects.toMatchObject({ code: '428C9' });
  });

  it.each([
    'update lock_audit set operator_identity = operator_identity',
    'delete from lock_audit',
    'truncate lock_audit',
    'update member_audit set actor_id = actor_id',
    'delete from member_audit',
    'truncate member_audit',
  ])('refuse to %s', async (statement) => {
    const change = behindSavepoint(trx, () => sql.raw(statement).execute(trx));
    await expect(change).rejects.toMatchObject({ code: '23001' });
  });

  describe('of asset numbers', () => {
    const handOut = (count: number) =>
      behindSavepoint(trx, () => sql`update asset_number set handed_out = ${count}::int`.execute(trx));

    it('know the two regions, of which nothing was handed out', async () => {
      expect(await trx.selectFrom('asset_number').selectAll().orderBy('first_digit').execute()).toEqual([
        { first_digit: 6, handed_out: 0 },
        { first_digit: 8, handed_out: 0 },
      ]);
    });

    it('refuse a count outside of nine digits', async () => {
      for (const count of [-1, 1_000_000_000]) {
        await expect(handOut(count)).rejects.toMatchObject({ constraint: 'asset_number_handed_out_check' });
      }
      for (const count of [0, 999_999_999]) await handOut(count);
    });

    it('refuse another region, and one twice', async () => {
      const add = (first_digit: number) =>
        behindSavepoint(trx, () => trx.insertInto('asset_number').values({ first_digit, handed_out: 0 }).execute());
      await expect(add(7)).rejects.toMatchObject({ constraint: 'asset_number_first_digit_check' });
      await expect(add(8)).rejects.toMatchObject({ constraint: 'asset_number_pkey' });
    });
  });
});

/** The last migration of version 1. */
const VERSION_1 = '0016_ledger_integrity';

async function migrateToVersion1(db: Database): Promise<void> {
  const names = await migrationNames();
  const provider: MigrationProvider = {
    getMigrations: async () =>
      Object.fromEntries(names.map((name) => [name, { up: (version1) => run(`${name}.up.sql`, version1) }])),
  };
  await migrateDown(db);
  const { error } = await new Migrator({ db, provider }).migrateTo(VERSION_1);
  if (error) throw error;
}

describe('a database of version 1', () => {
  const customerOf = (customerId: string) =>
    ({ customerId, channelCustomerId: `c${customerId}`, enterpriseGlobalId: '1' }) as Customer;
  const [one, two] = [customerOf('1'), customerOf('2')];

  // Version 1 stored the time at which a transaction began: it could be earlier than what another one had stored.
  const [began, stored] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'];
  const revoked = { created_time: stored, updated_time: began, revoked_time: began };
  const revokedGrant = { created_time: stored, revoked_time: began };
  const ASSETS: Record<string, unknown>[] = [
    { id: 1, asset_num: 'NESTED', limit_start_date: 5, extends: '{"gxxp":"1"}' },
    { id: 2, asset_num: 'PARTLY' },
    { id: 3, asset_num: 'AGAIN', ...revoked },
    { id: 4, asset_num: 'AGAIN' },
    { id: 5, asset_num: 'HELD', created_time: stored, updated_time: began },
    { id: 6, asset_num: 'LOCK', license_type: 'normal_recover_usbkey', borrowed_usb_key: true },
    { id: 7, asset_num: 'MOVED', customer_id: 2 },
  ];
  // Orders of batch 1: two that bought, one that failed, one that revoked, one that transferred.
  const [FIRST, SECOND, TRANSFERRING] = [8192, 8193, 8196];
  const ORDERS: Record<string, unknown>[] = [
    { id: FIRST, assets: 5, products: 8 },
    { id: SECOND, assets: 0, products: 1 },
    { id: 8194, cause: 'asset_owned_by_other_customer', message: 'Asset …', assets: 0, products: 0 },
    { id: 8195, order_type: 'delete_asset', assets: 1, products: 1 },
    { id: TRANSFERRING, customer_id: '2', assets: 0, products: 1 },
  ];
  const GRANTS: Record<string, unknown>[] = [
    ...[1, 2, 4, 5, 6, 7].map((asset_id) => ({ asset_id, license_order_id: FIRST })),
    { asset_id: 7, license_order_id: TRANSFERRING },
    { asset_id: 2, license_order_id: SECOND, ...revokedGrant },
    { asset_id: 3, license_order_id: SECOND, ...revokedGrant },
  ];
  const MERCHANDISES: Record<string, unknown>[] = [
    { id: 11, asset_id: 1 },
    { id: 12, asset_id: 1, parent_id: 11 },
    { id: 13, asset_id: 1, parent_id: 12 },
    { id: 14, asset_id: 2, license_order_id: SECOND, ...revoked },
    // Two that delete_product emptied.
    { id: 15, asset_id: 4 },
    { id: 16, asset_id: 4, parent_id: 15, created_time: stored, updated_time: began },
  ];
  const PRODUCTS: Record<string, unknown>[] = [
    { id: 20, asset_id: 1, product_uri: 'direct', limit_start_date: 5, limit_end_date: 5 },
    { id: 21, asset_id: 1, product_uri: 'outer', merchandise_id: 11 },
    { id: 22, asset_id: 1, product_uri: 'inner', merchandise_id: 13, limit_start_date: 5 },
    { id: 23, asset_id: 1, product_uri: 'inner', merchandise_id: 13, ...revoked },
    { id: 24, asset_id: 2, product_uri: 'second', merchandise_id: 14, license_order_id: SECOND, ...revoked },
    { id: 25, asset_id: 2, product_uri: 'first' },
    { id: 26, asset_id: 3, license_order_id: SECOND, ...revoked },
    { id: 27, asset_id: 4 },
    { id: 28, asset_id: 5 },
    { id: 29, asset_id: 6 },
    { id: 30, asset_id: 7 },
    { id: 31, asset_id: 7, license_order_id: TRANSFERRING },
    { id: 32, asset_id: 4, merchandise_id: 16, ...revoked },
  ];

  /** What was pending at the time of the upgrade; the last order fails. */
  const ofSoftkey = (order: Sent): Sent => ({ ...order, licenseType: 'softkey' });
  const PENDING = batchOf(
    ofSoftkey(deleteProduct(one, ['NESTED'], { productUri: 'inner' })),
    ofSoftkey(deleteAsset(one, ['NESTED'], { srcLicenseOrderId: String(FIRST) })),
    ofSoftkey(deleteAsset(one, ['PARTLY'])),
    ofSoftkey(deleteAsset(one, ['AGAIN'])),
    ofSoftkey(newBuy(one, ['AGAIN'])),
    ofSoftkey(newBuy(two, ['HELD'], {}, { transferedAssetNum: true })),
    deleteAsset(one, ['LOCK']),
    ofSoftkey(deleteAsset(two, ['MOVED'], { srcLicenseOrderId: String(TRANSFERRING) })),
    ofSoftkey(deleteAsset(one, ['NESTED'])),
  );

  async function fillAsVersion1(db: Database): Promise<void> {
    for (const table of ['application', 'access_token', 'nonce', 'enterprise', 'customer'] as const) {
      await insertInto(db, table);
    }
    await insertInto(db, 'member', { name: undefined, is_provisioned: undefined });
    await insertInto(db, 'customer', { id: 2, channel_customer_id: 'c2', is_default: false });
    const order_types = ORDERS.map(({ order_type }) => order_type ?? 'new_buy');
    await insertInto(db, 'batch', { sequences: [1, 2, 3, 4, 5], customer_ids: ['1', '1', '1', '1', '2'], order_types });
    const finished = { payload: null, finished_time: sql`statement_timestamp()`, succeeded: 4, failed: 1 };
    await insertInto(db, 'lane_chunk', { order_count: 5, weight: 5, ...finished });
    for (const row of ORDERS) await insertInto(db, 'license_order', row);
    for (const row of ASSETS) await insertInto(db, 'asset', row);
    for (const row of GRANTS) await insertInto(db, 'asset_grant', row);
    for (const row of MERCHANDISES) await insertInto(db, 'merchandise_instance', row);
    for (const row of PRODUCTS) await insertInto(db, 'product_instance', row);
    await insertInto(db, 'asset_assignment', { asset_id: 5 });
    await insertInto(db, 'asset_lending', { asset_id: 5, lock_asset_id: 6 });
    const pending = prepareBatch('1' as ApplicationId, BatchOrder.parse(PENDING));
    const { sequences, customerIds, orderTypes, digest } = pending;
    const content = { sequences, customer_ids: customerIds, order_types: orderTypes, digest };
    await insertInto(db, 'batch', { id: 2, channel_order_id: 'b2', ...content });
    for (const { lane, orderCount, weight, payload } of pending.chunks) {
      await insertInto(db, 'lane_chunk', { batch_id: 2, lane, order_count: orderCount, weight, payload });
    }
  }

  const NEW_TABLES: Table[] = ['asset_transfer', 'lock_audit', 'login_failure', 'member_audit'];
  const version1Tables = (Object.keys(rows) as Table[]).filter((table) => !NEW_TABLES.includes(table));

  /** What the tables of version 1 have besides now, with the values of the rows that were there. */
  const NEW_COLUMNS: { [Name in Table]?: Record<string, unknown> } = {
    access_token: { member_id: null },
    application: { channels: null, old_secret_hash: null, old_secret_end_time: null },
    asset: { locked: false, freezing: false, revoked_by_order_id: null, created_by_order_id: null },
    asset_grant: { revoked_by_order_id: null },
    batch: { digest_version: 1, request_id: null, reopened_time: null },
    enterprise: { created_by_application_id: null },
    lane_chunk: { payload_version: 1 },
    license_order: { src_license_order_id: null },
    merchandise_instance: { held_by_order_id: null, revoked_by_order_id: null },
    product_instance: { held_by_order_id: null, revoked_by_order_id: null },
    member: {
      ...{ name: 'admin', department_id: null, remark: null, password_mobile: null, password_hash: null },
      ...{ is_provisioned: true, updated_time: expect.any(String), deleted_time: null },
    },
  };

  /**
   * What the order that transferred an asset takes over, and what ends with the last thing in it: by the rules of today,
   * which version 1 did not know.
   */
  function changesOf(table: Table, row: Row): Row {
    if (table === 'asset_grant' && row.asset_id === 7 && row.license_order_id === FIRST) {
      return { revoked_time: expect.any(String), revoked_by_order_id: TRANSFERRING };
    }
    if (table === 'product_instance' && row.id === 30) {
      return { held_by_order_id: TRANSFERRING, updated_time: expect.any(String) };
    }
    if (table === 'merchandise_instance' && (row.id === 15 || row.id === 16)) {
      return { updated_time: row.created_time, revoked_time: row.created_time };
    }
    return {};
  }

  const asNow = (table: Table, row: Row): Row => ({
    ...row,
    ...NEW_COLUMNS[table],
    ...changesOf(table, row),
    // Of a pending chunk nothing was counted.
    ...(table === 'lane_chunk' && { succeeded: row.succeeded ?? 0, failed: row.failed ?? 0 }),
  });

  /** The end of a batch whose chunks are all finished. */
  function endOf(batch: Row, chunks: readonly Row[]): Row {
    const own = chunks.filter((chunk) => chunk.batch_id === batch.id);
    if (own.some((chunk) => chunk.finished_time === null)) {
      return { completed_time: null, succeeded: null, failed: null };
    }
    const sum = (column: string) => own.reduce((total, chunk) => total + (chunk[column] as number), 0);
    const completed = own
      .map((chunk) => chunk.finished_time as string)
      .toSorted()
      .at(-1);
    return { completed_time: completed, succeeded: sum('succeeded'), failed: sum('failed') };
  }

  /** Every row of version 1, by table. */
  async function readRows(db: Database): Promise<Record<string, Row[]>> {
    const tables = version1Tables.map(async (table) => {
      const { rows } = await sql<{ row: Row }>`
        select to_jsonb(each) as row from ${sql.table(table)} as each order by to_jsonb(each)`.execute(db);
      return [table, rows.map(({ row }) => row)] as const;
    });
    return Object.fromEntries(await Promise.all(tables));
  }

  let old: TestDatabase;

  beforeAll(async () => {
    old = await createTestDatabase();
    await migrateToVersion1(old.db);
    await fillAsVersion1(old.db);
  });
  afterAll(() => old.close());

  it('is brought to the newest migration with every row as it was but for today’s rules, no lock disabled, nobody with a password', async () => {
    const before = await readRows(old.db);
    for (const [table, rows] of Object.entries(before)) expect([table, rows]).not.toEqual([table, []]);
    const names = await migrationNames();
    expect((await migrateToLatest(old.db)).applied).toEqual(names.slice(names.indexOf(VERSION_1) + 1));
    const after = await readRows(old.db);
    for (const table of version1Tables) {
      const expected = before[table]!.map((row) => asNow(table, row));
      if (table === 'batch') for (const row of expected) Object.assign(row, endOf(row, before.lane_chunk!));
      expect([table, after[table]]).toEqual([table, expected]);
    }
    expect(after.batch!.map((row) => row.completed_time !== null).toSorted()).toEqual([false, true]);
    expect(after.member!.map((row) => row.updated_time)).toEqual(before.member!.map((row) => row.created_time));
    expect(await old.db.selectFrom('asset_transfer').selectAll().execute()).toMatchObject([
      {
        ...{ asset_id: '7', license_order_id: String(TRANSFERRING), from_customer_id: '1', to_customer_id: '2' },
        transferred_time: new Date(
          after.asset_grant!.find((row) => row.license_order_id === TRANSFERRING)!.created_time as string,
        ),
      },
    ]);
  });

  it('then carries out what was pending', async () => {
    const lanes = Array.from({ length: LANE_COUNT }, (_, lane) => lane);
    expect(await drainLanes(old.db, { lanes: lanes }, { ids: new LedgerIds(), holds: new Holds() })).toMatchObject({
      ...{ succeeded: 8, failed: 1, batches: [{ batchId: '2', requestId: null, orders: 9 }] },
    });
    const causes = await old.db
      .selectFrom('license_order')
      .select('cause')
      .where('id', '>=', '16384' as LicenseOrderId)
      .orderBy('id');
    expect((await causes.execute()).map(({ cause }) => cause)).toEqual([...Array(8).fill(null), 'asset_not_found']);
    const assets = old.db.selectFrom('asset').select(['asset_num', 'customer_id']).where('revoked_time', 'is', null);
    expect(await assets.orderBy('asset_num').execute()).toEqual([
      { asset_num: 'AGAIN', customer_id: '1' },
      { asset_num: 'HELD', customer_id: '2' },
    ]);
    const products = old.db.selectFrom('product_instance').select(['asset_id', 'license_order_id']);
    const active = await products.where('revoked_time', 'is', null).orderBy('id').execute();
    expect(active).toMatchObject([
      { asset_id: '5', license_order_id: String(FIRST) },
      { license_order_id: '16388' },
      { asset_id: '5', license_order_id: '16389' },
    ]);
    expect(await old.db.selectFrom('asset_assignment').selectAll().execute()).toEqual([]);
    expect(await old.db.selectFrom('asset_lending').selectAll().execute()).toEqual([]);
  });

  it('keeps what version 1 had revoked', async () => {
    const ids = { asset: [3], merchandise_instance: [14], product_instance: [23, 24, 26] };
    for (const [table, kept] of Object.entries(ids)) {
      const { rows } = await sql`
        select revoked_time from ${sql.table(table)} where id = any (${kept}) order by id`.execute(old.db);
      expect([table, rows]).toEqual([table, kept.map(() => ({ revoked_time: new Date(began!) }))]);
    }
  });
});

import { changeLocks } from '@lockstep/assets';
import { type ApplicationId, LicenseType } from '@lockstep/contract';
import { behindSavepoint, createLogger, type Database, type Tables } from '@lockstep/platform';
import { type ControlledTransaction, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testDatabase } from '../harness/stack.ts';

const silent = createLogger({ name: 'test', level: 'silent', secrets: new Set() });

const database = await testDatabase();

const EMPTY = '{"before": null, "after": null}';
const BOUGHT = { id: 1, asset_id: 1, license_order_id: 8192, crm_product_id: 'c', parent_crm_product_id: '' };

/** Valid rows, in an order in which they can be inserted. */
const rows = {
  application: { id: 1, app_key: 'k1', name: 'Test', secret_hash: Buffer.of(1), scopes: ['auth_order'] },
  access_token: {
    token_hash: Buffer.of(1),
    application_id: 1,
    generation: 0,
    scopes: ['auth_order'],
    expires_time: new Date(),
  },
  nonce: { application_id: 1, nonce: 'n1', used_time: new Date() },
  enterprise: { id: 1, name: 'E1', code: 'abc234', crm_customer_id: 'crm1' },
  channel: { code: 'test' },
  customer: {
    id: 1,
    enterprise_id: 1,
    channel_code: 'test',
    channel_customer_id: 'c1',
    name: 'Customer',
    branch_name: 'Branch',
    is_default: true,
  },
  member: { id: 1, enterprise_id: 1, user_name: 'admin', name: 'Ann', is_administrator: true, is_provisioned: true },
  login_failure: {
    kind: 'user',
    name_hash: Buffer.of(1),
    party: '1',
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
    id: 1,
    application_id: 1,
    channel_code: 'test',
    channel_order_id: 'b1',
    sync_mode: 'async',
    digest: Buffer.of(1),
    sequences: [1],
    customer_ids: ['1'],
    order_types: ['new_buy'],
    digest_version: 1,
    request_id: 'r',
  },
  batch_trace: { batch_id: 1, traceparent: '0'.repeat(55) },
  lane_chunk: {
    batch_id: 1,
    lane: 3,
    customer_ids: ['1'],
    order_count: 2,
    weight: 2,
    payload: '[]',
    payload_version: 1,
  },
  license_order: { id: 8192, order_type: 'new_buy', customer_id: '1', assets: 1, products: 1 },
  asset: {
    id: 1,
    asset_num: 'X1',
    customer_id: 1,
    license_type: 'softkey',
    borrowed_usb_key: false,
    created_by_order_id: 8192,
  },
  asset_transfer: { asset_id: 1, license_order_id: 8192, from_customer_id: 7, to_customer_id: 1 },
  asset_grant: { asset_id: 1, license_order_id: 8192 },
  merchandise_instance: {
    ...BOUGHT,
    merchandise_num: 'M',
    merchandise_name: 'M',
    parent_merchandise_num: '',
    time_duration_expression: '1-0-0',
  },
  product_terms: { id: 1, fields: '{"productUri": "a", "productName": "A"}' },
  product_instance: { ...BOUGHT, terms_id: 1, uri_hash: sql`hash_uri('a')`, limit_concurrent: 0 },
  asset_assignment: { asset_id: 1, member_id: 1, enterprise_id: 1, created_by: 0 },
  asset_lending: { asset_id: 1, lock_asset_id: 2, enterprise_id: 1, created_by: 0 },
  ended_holding: {
    id: 1,
    asset_id: 1,
    member_id: 1,
    enterprise_id: 1,
    began_time: '2026-01-01',
    began_by: 0,
    ended_time: '2026-01-01',
    ended_by: 1,
    end_cause: 'withdrawn',
  },
  asset_number: { first_digit: 6, handed_out: 0 },
  lock_audit: { asset_id: 1, action: 'locked', operator_identity: 'Me', application_id: 1, request_id: 'r1' },
} satisfies Record<string, Record<string, unknown>>;
type Table = keyof typeof rows;
type Row = Record<string, unknown>;

/** Inserts the table's valid row with changes. A change to undefined omits the column. */
async function insertInto(db: Database, table: Table, changes: Record<string, unknown> = {}): Promise<void> {
  const row = Object.entries({ ...rows[table], ...changes }).filter(([, value]) => value !== undefined);
  const columns = sql.join(row.map(([column]) => sql.ref(column)));
  const values = sql.join(row.map(([, value]) => value));
  await sql`insert into ${sql.table(table)} (${columns}) overriding system value values (${values})`.execute(db);
}

describe('the constraints', () => {
  /** The database's clock. Times that the database fills in lie between the start of the transaction and this time. */
  const now = sql`statement_timestamp()`;

  let trx: ControlledTransaction<Tables>;

  const ended = { completed_time: now, succeeded: 1, failed: 0 };

  // Every test starts with the valid rows and leaves nothing behind.
  beforeEach(async () => {
    trx = await database.db.startTransaction().execute();
    for (const table of Object.keys(rows) as Table[]) {
      // The schema has the rows of both regions.
      if (table === 'asset_number') continue;
      if (table === 'asset_transfer') await insert('customer', { id: 7, channel_customer_id: 'c7', is_default: false });
      if (table === 'lane_chunk') await insert('batch', { id: 3, channel_order_id: 'b3', ...ended });
      if (table === 'asset_lending') await insert('asset', { id: 2, asset_num: 'LOCK', borrowed_usb_key: true });
      await insert(table);
    }
  });
  afterEach(() => trx.rollback().execute());

  async function insert(table: Table, changes: Record<string, unknown> = {}): Promise<void> {
    await insertInto(trx, table, changes);
  }

  /** The fields that must differ in a second row. */
  const app = { id: 2, app_key: 'k2' };
  const firm = { id: 2, name: 'E2', code: 'abc235', crm_customer_id: null };
  const kim = { id: 2, user_name: 'kim' };
  const batch = { id: 2, channel_order_id: 'b2' };
  const finished = { lane: 4, payload: null, succeeded: 2, failed: 0 };

  const NOT_NULL = '23502';
  const UNIQUE = '23505';
  const FOREIGN_KEY = '23503';
  const CHECK = '23514';

  it.each<[string, string, Table, Record<string, unknown>]>([
    ['two applications with one key', UNIQUE, 'application', { id: 2 }],
    ['an application of an unknown status', CHECK, 'application', { ...app, status: 'new' }],
    ['an application with an unknown scope', CHECK, 'application', { ...app, scopes: ['auth_all'] }],
    ['an application bound to an empty list of channels', CHECK, 'application', { ...app, channels: [] }],
    ['an application bound to a nameless channel', CHECK, 'application', { ...app, channels: [''] }],
    ['an old secret without an end', CHECK, 'application', { ...app, old_secret_hash: Buffer.of(2) }],
    ['an end without an old secret', CHECK, 'application', { ...app, old_secret_end_time: new Date() }],
    ['an application bound to null', CHECK, 'application', { ...app, channels: ['test', null] }],
    ['a token of an unknown application', FOREIGN_KEY, 'access_token', { token_hash: Buffer.of(2), application_id: 9 }],
    ['a nonce twice', UNIQUE, 'nonce', {}],
    ['two enterprises with one name', UNIQUE, 'enterprise', { ...firm, name: 'E1' }],
    ['two enterprises with one code', UNIQUE, 'enterprise', { ...firm, code: 'abc234' }],
    ['two enterprises of one CRM customer', UNIQUE, 'enterprise', { ...firm, crm_customer_id: 'crm1' }],
    ['an enterprise code of 5 letters', CHECK, 'enterprise', { ...firm, code: 'abcde' }],
    ['an enterprise code in capitals', CHECK, 'enterprise', { ...firm, code: 'ABCDEF' }],
    ['a channel twice', UNIQUE, 'channel', {}],
    ['a customer of an unknown channel', FOREIGN_KEY, 'customer', { id: 2, channel_code: 'none', is_default: false }],
    ['a channel customer twice', UNIQUE, 'customer', { id: 2, is_default: false }],
    ['a second default customer', UNIQUE, 'customer', { id: 2, channel_customer_id: 'c2' }],
    ['an account name twice', UNIQUE, 'member', { id: 2 }],
    ['an account name with a hyphen', CHECK, 'member', { id: 2, user_name: 'ad-min' }],
    ['an employee without a name', CHECK, 'member', { ...kim, name: '' }],
    ['a name of 31 characters', CHECK, 'member', { ...kim, name: '𠀀'.repeat(31) }],
    ['a remark of 201 characters', CHECK, 'member', { ...kim, remark: '𠀀'.repeat(201) }],
    ['a department below 0', CHECK, 'member', { ...kim, department_id: -1 }],
    ['a password in plain text', CHECK, 'member', { ...kim, password_hash: 'correct horse' }],
    ['a user token of an unknown employee', FOREIGN_KEY, 'access_token', { token_hash: Buffer.of(2), member_id: 9 }],
    ['two counts of failed logins of an account through an application', UNIQUE, 'login_failure', {}],
    ['an enterprise of an unknown application', FOREIGN_KEY, 'enterprise', { ...firm, created_by_application_id: 9 }],
    ['a change in an unknown enterprise', FOREIGN_KEY, 'member_audit', { enterprise_id: 9 }],
    ['a change of an unknown employee', FOREIGN_KEY, 'member_audit', { target_id: 9 }],
    ['a change without the value before', CHECK, 'member_audit', { detail: '{"after": null}' }],
    ['a change without the value after', CHECK, 'member_audit', { detail: '{"before": null}' }],
    ['a channelOrderId twice', UNIQUE, 'batch', { id: 2 }],
    ['a batch of an unknown mode', CHECK, 'batch', { ...batch, sync_mode: 'both' }],
    ['a batch whose order ids would pass 2^53', CHECK, 'batch', { id: '1099511627776', channel_order_id: 'b2' }],
    ['a batch without orders', CHECK, 'batch', { ...batch, sequences: [], customer_ids: [], order_types: [] }],
    ['a batch with more sequences than customers', CHECK, 'batch', { ...batch, sequences: [1, 2] }],
    ['a batch with more types than orders', CHECK, 'batch', { ...batch, order_types: ['a', 'b'] }],
    ['two chunks of a batch in one lane', UNIQUE, 'lane_chunk', {}],
    ['a chunk of an unknown batch', FOREIGN_KEY, 'lane_chunk', { batch_id: 9 }],
    ['a chunk without orders', CHECK, 'lane_chunk', { lane: 4, order_count: 0 }],
    ['a chunk lighter than its orders', CHECK, 'lane_chunk', { lane: 4, weight: 1 }],
    ['a pending chunk without payload', CHECK, 'lane_chunk', { lane: 4, payload: null }],
    ['a pending chunk with counts', CHECK, 'lane_chunk', { lane: 4, succeeded: 1, failed: 1 }],
    ['a finished chunk with a payload', CHECK, 'lane_chunk', { lane: 4, finished_time: now, succeeded: 1, failed: 1 }],
    ['a finished chunk without counts', CHECK, 'lane_chunk', { lane: 4, payload: null, finished_time: now }],
    ['a chunk with more outcomes than orders', CHECK, 'lane_chunk', { lane: 4, succeeded: 2, failed: 1 }],
    ['a chunk with a negative count of failed orders', CHECK, 'lane_chunk', { lane: 4, failed: -1 }],
    [
      'a finished chunk that lost an order',
      CHECK,
      'lane_chunk',
      { ...finished, failed: 0, succeeded: 1, finished_time: now },
    ],
    ['a pending chunk of a completed batch', FOREIGN_KEY, 'lane_chunk', { batch_id: 3 }],
    ['two outcomes of an order', UNIQUE, 'license_order', {}],
    ['an order of an unknown type', CHECK, 'license_order', { id: 8193, order_type: 'refund' }],
    ['a failed order without values', CHECK, 'license_order', { id: 8193, cause: 'x', assets: 0, products: 0 }],
    ['a succeeded order with values', CHECK, 'license_order', { id: 8193, args: '[]' }],
    ['a failed order with assets', CHECK, 'license_order', { id: 8193, cause: 'x', args: '[]', products: 0 }],
    ['a failed order with products', CHECK, 'license_order', { id: 8193, cause: 'x', args: '[]', assets: 0 }],
    ['an order with a negative count of assets', CHECK, 'license_order', { id: 8193, assets: -1 }],
    ['two active assets with one number', UNIQUE, 'asset', { id: 3 }],
    ['an asset whose codes are not an object', CHECK, 'asset', { id: 3, asset_num: 'X3', extends: '[]' }],
    ['an asset with an empty object of codes', CHECK, 'asset', { id: 3, asset_num: 'X3', extends: '{}' }],
    ['two grants of an order to an asset', UNIQUE, 'asset_grant', {}],
    ['a merchandise in an unknown one', FOREIGN_KEY, 'merchandise_instance', { id: 2, parent_id: 9 }],
    ['a product in an unknown merchandise', FOREIGN_KEY, 'product_instance', { id: 2, merchandise_id: 9 }],
    ['a product with a negative count of nodes', CHECK, 'product_instance', { id: 2, limit_concurrent: -1 }],
    ['terms without a URI', NOT_NULL, 'product_terms', { id: 2, fields: '{"productName": "A"}' }],
    ['two holders of an asset', UNIQUE, 'asset_assignment', {}],
    ['an asset lent twice', UNIQUE, 'asset_lending', {}],
    ['a lock lent into itself', CHECK, 'asset_lending', { asset_id: 2 }],
    ['a holding that ends twice', UNIQUE, 'ended_holding', {}],
    ['a holding that ends before it began', CHECK, 'ended_holding', { id: 2, ended_time: '2025-12-31' }],
    ['a holding that an order and an administrator ended', CHECK, 'ended_holding', { id: 2, ended_by_order_id: 8192 }],
    ['a holding that ended by itself', CHECK, 'ended_holding', { id: 2, ended_by: null }],
    ['a holding that an administrator ended by an order', CHECK, 'ended_holding', { id: 2, end_cause: 'order' }],
    ['a second count of numbers of a region', UNIQUE, 'asset_number', { first_digit: 8 }],
    ['numbers of another region', CHECK, 'asset_number', { first_digit: 7 }],
    ['a trace context of another length', CHECK, 'batch_trace', { batch_id: 2, traceparent: '00-1-2-01' }],
    ['a change of a lock that does not exist', FOREIGN_KEY, 'lock_audit', { asset_id: 9 }],
    ['a change of a lock by an unknown application', FOREIGN_KEY, 'lock_audit', { application_id: 9 }],
  ])('refuse %s', async (_, state, table, changes) => {
    await expect(insert(table, changes)).rejects.toMatchObject({ code: state });
  });

  it.each<[string, Table, Record<string, unknown>]>([
    ['the same terms twice', 'product_terms', { id: 2 }],
    ['a second customer of an enterprise', 'customer', { id: 2, channel_customer_id: 'c2', is_default: false }],
    ['the same channelOrderId on another channel', 'batch', { id: 2, channel_code: 'other' }],
    ['a finished chunk', 'lane_chunk', { lane: 4, payload: null, finished_time: now, succeeded: 2, failed: 0 }],
    ['a deleted employee beside an active one with the same account', 'member', { id: 2, deleted_time: now }],
    ['an account’s failed logins through all applications', 'login_failure', { party: '' }],
    ['a name of 30 characters', 'member', { ...kim, name: '𠀀'.repeat(30) }],
    ['a remark of 200 characters', 'member', { ...kim, remark: '𠀀'.repeat(200) }],
    ['a password as argon2id', 'member', { ...kim, password_hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA' }],
    ['a user token', 'access_token', { token_hash: Buffer.of(2), member_id: 1 }],
    ['a change without an employee', 'member_audit', { target_id: null }],
    ['a failed order', 'license_order', { id: 8193, cause: 'x', args: '[]', assets: 0, products: 0 }],
  ])('allow %s', async (_, table, changes) => {
    await insert(table, changes);
  });

  it('allow any number of revoked assets beside the active one of their number', async () => {
    await sql`delete from asset_lending`.execute(trx);
    const revoke = (id: number, time: unknown) =>
      sql`update asset set revoked_time = ${time}, revoked_by_order_id = 8192 where id = ${id}`.execute(trx);
    for (const id of [3, 4, 5]) {
      await revoke(id - 1, now);
      await insert('asset', { id, asset_num: 'LOCK' });
    }
    const early = behindSavepoint(trx, () => revoke(5, '2000-01-01T00:00:00Z'));
    await expect(early).rejects.toMatchObject({ constraint: 'asset_times' });
    await expect(
      sql`update asset set revoked_time = null, revoked_by_order_id = null where id = 3`.execute(trx),
    ).rejects.toMatchObject({ constraint: 'asset_active_number_chosen' });
  });

  const another = { id: 3, asset_num: 'X3' };
  const T0 = '2000-01-01T00:00:00Z';
  const T1 = '2000-01-01T00:00:00.001Z';
  const REVOCABLE = ['asset_grant', 'merchandise_instance', 'product_instance'] as const;
  const CHANGEABLE = ['asset', 'merchandise_instance', 'product_instance'] as const;
  /** The fields that must differ in a second row, by table. */
  const second = {
    asset: another,
    asset_grant: { asset_id: 2 },
    merchandise_instance: { id: 2 },
    product_instance: { id: 2 },
  };

  const TIMES = [T0, T1];
  const accepted = { ...finished, accepted_time: T1 };
  const added = { ...kim, created_time: T1, updated_time: T1 };
  /** A column with a value that is refused, and one next to it that is allowed, in a row with more changes. */
  type Neighbors = [what: string, constraint: string, table: Table, column: string, values: unknown[], others: Row];

  it.each<Neighbors>([
    ...REVOCABLE.map((table): Neighbors => {
      const created = { ...second[table], created_time: T1, ...(table !== 'asset_grant' && { updated_time: T1 }) };
      const others = { ...created, revoked_by_order_id: 8192 };
      return [`a ${table} revoked before it was created`, `${table}_times`, table, 'revoked_time', TIMES, others];
    }),
    ...CHANGEABLE.map((table): Neighbors => {
      const others = { ...second[table], created_time: T1 };
      return [`a ${table} changed before it was created`, `${table}_times`, table, 'updated_time', TIMES, others];
    }),
    ['a chunk finished before it was accepted', 'lane_chunk_times', 'lane_chunk', 'finished_time', TIMES, accepted],
    ['an employee deleted before being added', 'member_times', 'member', 'deleted_time', TIMES, added],
    ['an employee changed before being added', 'member_times', 'member', 'updated_time', TIMES, added],
    [
      'a product that ends before it starts',
      'product_instance_period',
      'product_instance',
      'limit_end_date',
      [1, 2],
      { id: 2, limit_start_date: 2 },
    ],
    [
      'an asset of an unknown license type',
      'asset_license_type',
      'asset',
      'license_type',
      ['usbkey', 'identity_usbkey'],
      another,
    ],
  ])('refuse %s, and allow the values next to it', async (_, constraint, table, column, [refused, allowed], others) => {
    const wrong = behindSavepoint(trx, () => insert(table, { ...others, [column]: refused }));
    await expect(wrong).rejects.toMatchObject({ code: CHECK, constraint });
    await insert(table, { ...others, [column]: allowed });
  });

  it.each([{ limit_start_date: 5 }, { limit_end_date: 5 }, {}])(
    'allow a product of the open-ended period %j',
    (period) => insert('product_instance', { id: 2, ...period }),
  );

  it.each([...REVOCABLE, 'asset_transfer'] as const)(
    'give a %s the times of the statement, which are later than those of the transaction',
    async (table) => {
      const times = { asset_grant: sql`created_time`, asset_transfer: sql`transferred_time` }[table as string];
      const time = times ?? sql`least(created_time, updated_time)`;
      const { rows } = await sql`select ${time} > now() as later from ${sql.table(table)}`.execute(trx);
      expect(rows).toContainEqual({ later: true });
      expect(rows).not.toContainEqual({ later: false });
    },
  );

  /** Returns the license types with which an asset with these changes can be inserted. */
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

  it('allow exactly the assets that O6 locks to be locked', async () => {
    const other = await testDatabase();
    for (const table of ['application', 'enterprise', 'channel', 'customer'] as const)
      await insertInto(other.db, table);
    for (const [id, type] of LicenseType.options.entries()) {
      await insertInto(other.db, 'asset', { id, asset_num: type, license_type: type });
    }
    const by = { operatorIdentity: 'Me', applicationId: '1' as ApplicationId, channels: null, requestId: 'r1' };
    const results = await changeLocks(other.db, silent, { ...by, assetNums: LicenseType.options, action: 'locked' });
    const lockable = results.filter(({ status }) => status === 1).map(({ assetNum }) => assetNum);
    expect(lockable).toHaveLength(4);
    expect(await typesThatAllow({ locked: true })).toEqual(lockable);
  });

  it('allow only certificates to be frozen, and no asset to be both frozen and locked', async () => {
    expect(await typesThatAllow({ freezing: true })).toEqual(['softkey', 'lan_softkey']);
    expect(await typesThatAllow({ freezing: true, locked: true })).toEqual([]);
  });

  it('refuse to lock an existing asset, unless its type can be locked; and a count of more than nine digits', async () => {
    const update = (statement: string) => behindSavepoint(trx, () => sql.raw(`update ${statement}`).execute(trx));
    await insert('asset', { ...another, license_type: 'lk_auth_usbkey' });
    await expect(update('asset set locked = true where id = 1')).rejects.toMatchObject({
      constraint: 'asset_lockable',
    });
    await update('asset set locked = true where id = 3');
    for (const count of [-1, 1_000_000_000]) {
      const refused = update(`asset_number set handed_out = ${count}`);
      await expect(refused).rejects.toMatchObject({ constraint: 'asset_number_handed_out_check' });
    }
    for (const count of [0, 999_999_999]) await update(`asset_number set handed_out = ${count}`);
  });

  it('number the changes of locks, and record the time of the statement', async () => {
    const row = sql`(asset_id, action, operator_identity, application_id, request_id) values (1, 'unlocked', 'Me', 1, 'r2')`;
    await sql`insert into lock_audit ${row}`.execute(trx);
    const audit = await trx.selectFrom('lock_audit').select(sql`recorded_time > now()`.as('later')).execute();
    expect(audit).toEqual([{ later: true }, { later: true }]);
    const given = sql`insert into lock_audit (id, asset_id, action, operator_identity, application_id, request_id)
      values (7, 1, 'locked', 'Me', 1, 'r3')`;
    await expect(given.execute(trx)).rejects.toMatchObject({ code: '428C9' });
  });

  it.each([
    ...['update customer set channel_code = channel_code', 'delete from customer', 'update channel set code = code'],
    ...['delete from channel', 'update lock_audit set operator_identity = operator_identity', 'delete from lock_audit'],
    ...['truncate lock_audit', 'update ended_holding set ended_by = ended_by', 'delete from ended_holding'],
    ...['truncate ended_holding', 'update member_audit set actor_id = actor_id', 'delete from member_audit'],
    'truncate member_audit',
  ])('refuse to %s', async (statement) => {
    const change = behindSavepoint(trx, () => sql.raw(statement).execute(trx));
    await expect(change).rejects.toMatchObject({ code: '23001' });
  });
});

it('the keys whose violation is a conflict are those that callers choose', async () => {
  const { rows: found } = await sql<{ name: string }>`
    select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
    where indisunique and relname like '%\\_chosen' order by relname`.execute(database.db);
  expect(found.map(({ name }) => name)).toEqual([
    ...['asset_active_number_chosen', 'asset_assignment_chosen', 'asset_lending_chosen', 'batch_key_chosen'],
    ...['customer_default_chosen', 'customer_key_chosen', 'enterprise_code_chosen'],
    ...['enterprise_crm_customer_id_chosen', 'enterprise_name_chosen', 'member_account_chosen'],
  ]);
});

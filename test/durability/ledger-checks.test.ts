import { LedgerIds, writeLedger } from '@lockstep/assets';
import { type ApplicationId, BatchOrder, type Customer, type LicenseOrderId } from '@lockstep/contract';
import { prepareBatch } from '@lockstep/orders';
import {
  applyOrders,
  drainLanes,
  freeLanes,
  type OrderWithId,
  planOnLoaded,
  storeApplied,
} from '@lockstep/orders/testing';
import { behindSavepoint, inTransaction, isTransient, type Tables } from '@lockstep/platform';
import { type ControlledTransaction, sql } from 'kysely';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentOfTables } from '../harness/databases/tables.ts';
import { ALL_LANES, FIRST_CHANNEL } from '../harness/orders/lanes.ts';
import { batchOf, deleteAsset, merchandise, newAssetNum, newBuy, type Sent } from '../harness/orders/orders.ts';
import { testDatabase } from '../harness/stack.ts';

/**
 * PostgreSQL refuses combinations of rows that are valid alone. Triggers, whose functions are in the migrations,
 * compare ledger rows with each other and with their old versions. For single rows, see schema.test.ts.
 */

const database = await testDatabase();
await sql
  .raw(`
      insert into application (id, app_key, name, secret_hash, scopes)
        overriding system value values (1, 'k1', 'Test', '', array['auth_order']);
      insert into enterprise (id, name, code) values (1, 'E1', 'abc234'), (2, 'E2', 'def567');
      insert into channel (code) values ('test');
      insert into customer (id, enterprise_id, channel_code, channel_customer_id, name, branch_name, is_default) values
        (1, 1, 'test', 'c1', 'One', 'B', true), (2, 1, 'test', 'c2', 'Two', 'B', false),
        (3, 2, 'test', 'c3', 'Three', 'B', true);
      insert into member (id, enterprise_id, user_name, name, is_administrator, is_provisioned, deleted_time) values
        (1, 1, 'admin', 'Ada', true, true, null), (2, 1, 'kim', 'Kim', false, false, null),
        (3, 2, 'admin', 'Ada', true, true, null), (4, 1, 'lee', 'Lee', false, false, '3000-01-01T00:00:00Z');
      insert into product_terms (fields) values
        ('{"productUri":"a","productName":"A"}'), ('{"productUri":"b","productName":"A"}');
    `)
  .execute(database.db);

const CREATED = '2000-01-01T00:00:00Z';
/** For a row that is inserted as revoked. */
const revoked = { revoked_time: '2000-01-02T00:00:00Z', revoked_by_order_id: 4 };

const active = { created_time: CREATED, revoked_time: null, revoked_by_order_id: null };
const lifetime = { ...active, updated_time: CREATED };
const bought = { crm_product_id: 'c', parent_crm_product_id: '', held_by_order_id: null, ...lifetime };
/** Hashes of URIs. They are stored, so every version of PostgreSQL must compute the same ones. */
const HASHES = { a: 1_756_872_259, b: -239_144_967 };
const defaults = {
  asset: { customer_id: 1, license_type: 'softkey', borrowed_usb_key: false, created_by_order_id: 1, ...lifetime },
  asset_grant: active,
  merchandise_instance: {
    ...bought,
    parent_id: null,
    merchandise_num: 'M',
    merchandise_name: 'M',
    parent_merchandise_num: '',
    time_duration_expression: '1-0-0',
  },
  product_instance: { ...bought, merchandise_id: null, terms_id: 1, uri_hash: HASHES.a, limit_concurrent: 0 },
} satisfies Record<string, Record<string, unknown>>;
type Table = keyof typeof defaults;
type Row = Record<string, unknown>;

const TABLES = Object.keys(defaults) as Table[];
const REVOKED = 'revoked_time = statement_timestamp(), revoked_by_order_id = 4';

const errorOf = (work: Promise<unknown>): Promise<pg.DatabaseError | null> =>
  work.then(
    () => null,
    (error) => error,
  );

describe('PostgreSQL refuses', () => {
  let trx: ControlledTransaction<Tables>;

  /** Inserts rows with one statement. */
  async function insert(table: Table, ...changes: Row[]): Promise<void> {
    const rows = changes.map((change) => ({ ...defaults[table], ...change }));
    const columns = sql.join(Object.keys(rows[0]!).map((column) => sql.ref(column)));
    const set = sql`jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)`;
    await sql`insert into ${sql.table(table)} (${columns}) select ${columns} from ${set}`.execute(trx);
  }

  async function run(...statements: string[]): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(trx);
  }

  /** Expects the database to refuse the data by this rule. Rolls back to a savepoint, so that the test can go on. */
  async function expectRefused(rule: string, act: () => Promise<unknown>): Promise<void> {
    const error = await errorOf(behindSavepoint(trx, act));
    expect(error?.constraint ?? 'stored').toBe(rule);
    expect(isTransient(error)).toBe(false);
    tried.add(ruleOf(error!));
  }

  /** The rules that have refused something: triggers as `table function`, constraints by name. */
  const tried = new Set<string>();
  const ruleOf = ({ constraint, message, where }: pg.DatabaseError) => {
    const trigger = where?.match(/^PL\/pgSQL function (\w+)/)?.[1];
    return trigger === undefined ? constraint! : `${message.split(':')[0]} ${trigger}`;
  };

  /** Expects the database to refuse a row by this rule, active and revoked. */
  async function expectRowRefused(rule: string, table: Table, row: Row): Promise<void> {
    await expectRefused(rule, () => insert(table, row));
    await expectRefused(rule, () => insert(table, { ...row, ...revoked }));
  }

  const revoke = (table: Table, where: string) => run(`update ${table} set ${REVOKED} where ${where}`);

  /** The SQL of a transfer: an order moves an asset to another customer. */
  const transfer = (assetId: number, toCustomerId: number, orderId = 5) =>
    `insert into asset_transfer (asset_id, license_order_id, from_customer_id, to_customer_id)
      values (${assetId}, ${orderId}, 1, ${toCustomerId})`;

  // Orders 1, 2 and 5 have bought, 3 has failed, 4 revokes, 6 is of another customer. Asset 3 is revoked. Assets 4 and
  // 5 have no contents, and 5 is a borrowed lock. IDs of further grants and merchandise are high, to leave room for
  // more.
  beforeEach(async () => {
    trx = await database.db.startTransaction().execute();
    await run(`insert into license_order (id, order_type, customer_id, cause, args, assets, products) values
      (1, 'new_buy', '1', null, null, 1, 1), (2, 'new_buy', '1', null, null, 1, 1), (5, 'new_buy', '1', null, null, 1, 1),
      (3, 'new_buy', '1', 'internal_error', '[]', 0, 0), (4, 'delete_asset', '1', null, null, 1, 1),
      (6, 'new_buy', '2', null, null, 1, 1)`);
    await insert('asset', ...[1, 2, 3, 4].map((id) => ({ id, asset_num: `X${id}` })));
    await insert('asset', { id: 5, asset_num: 'X5', borrowed_usb_key: true });
    await revoke('asset', 'id = 3');
    await insert(
      'asset_grant',
      { asset_id: 1, license_order_id: 1 },
      { asset_id: 1, license_order_id: 2 },
      { asset_id: 2, license_order_id: 1 },
    );
    await insert(
      'asset_grant',
      { asset_id: 2, license_order_id: 5, ...revoked },
      { asset_id: 3, license_order_id: 1, ...revoked },
    );
    const first = { asset_id: 1, license_order_id: 1 };
    await insert('merchandise_instance', { id: 11, ...first }, { id: 12, ...first, parent_id: 11 });
    await insert('merchandise_instance', { id: 13, ...first, ...revoked });
    const ofSecond = { license_order_id: 2 };
    await insert('merchandise_instance', { id: 14, ...first, ...ofSecond }, { id: 15, ...first, asset_id: 2 });
    await insert('product_instance', { id: 21, ...first, merchandise_id: 12 }, { id: 22, ...first });
    await insert('product_instance', { id: 23, ...first, ...revoked });
    await insert('product_instance', { id: 24, ...first, license_order_id: 2, merchandise_id: 14 });
  });
  afterEach(() => trx.rollback().execute());

  describe.each<[Table, revoked: string, active: string, change: string]>([
    ['asset', 'id = 3', 'id = 1', 'borrowed_usb_key = true'],
    ['asset_grant', 'asset_id = 3', 'asset_id = 1', 'created_time = created_time'],
    ['merchandise_instance', 'id = 13', 'id = 11', "merchandise_name = 'Other'"],
    ['product_instance', 'id = 23', 'id = 21', "crm_product_id = 'd'"],
  ])('that a revoked %s', (table, isRevoked, isActive, change) => {
    it.each([
      ['becomes active again', 'revoked_time = null, revoked_by_order_id = null'],
      ['is revoked by another order', 'revoked_by_order_id = 1'],
      ['is revoked again', 'revoked_time = statement_timestamp()'],
      ['changes in anything else', change],
    ])('%s', async (_, set) => {
      await expectRefused(`${table}_revoked_final`, () => run(`update ${table} set ${set} where ${isRevoked}`));
    });

    it('changes with an active one, which can change alone; rows are never deleted', async () => {
      await expectRefused(`${table}_revoked_final`, () =>
        run(`update ${table} set ${change} where ${isActive} or ${isRevoked}`),
      );
      await run(`update ${table} set ${change} where ${isActive}`);
      await expectRefused(`${table}_no_delete`, () => run(`delete from ${table}`));
      await expectRefused(`${table}_no_truncate`, () => run(`truncate ${table} cascade`));
    });
  });

  const assign = (assetId: number, memberId: number) =>
    `insert into asset_assignment (asset_id, member_id, created_by, enterprise_id) values (${assetId}, ${memberId}, 1, 1)`;
  const lend = (assetId: number, lockId: number) =>
    `insert into asset_lending (asset_id, lock_asset_id, created_by, enterprise_id) values (${assetId}, ${lockId}, 1, 1)`;
  const HELD = [assign(4, 1)];
  const OF_OTHERS = assign(4, 1).replace(/1\)$/, '2)');
  const LENT = [assign(4, 1), lend(4, 5)];
  const TAKEN_BACK = 'delete from asset_assignment';
  const deleteMembers = (where: string) => `update member set deleted_time = '3000-01-01' where ${where}`;
  const moved = 'update asset set customer_id = 2 where id = 4';

  // Each refused statement violates the rule alone. Then what is allowed runs.
  it.each<[what: string, rule: string, refused: string[], before?: string[], allowed?: string[]]>([
    [
      'that the outcome of an order changes',
      'license_order_no_update',
      ["update license_order set cause = 'cancelled', args = '[]' where id = 1"],
    ],
    ['that the outcome of an order is deleted', 'license_order_no_delete', ['delete from license_order where id = 4']],
    [
      'that an asset is given another number, type, ID or order',
      'asset_no_update',
      ["asset_num = 'X9'", "license_type = 'lan_softkey'", 'id = 9', 'created_by_order_id = 9'].map(
        (set) => `update asset set ${set} where id = 4`,
      ),
    ],
    ['that a revoked asset is assigned', 'asset_assignment_asset_active', [assign(3, 1)], [], [assign(4, 1)]],
    ['that a revoked asset is lent', 'asset_lending_asset_active', [lend(3, 5)], HELD, [lend(4, 5)]],
    ['that an asset is lent into a revoked one', 'asset_lending_asset_active', [lend(4, 3)], HELD, [lend(4, 5)]],
    [
      'that an asset gets a customer that does not exist',
      'asset_customer_exists',
      ['update asset set customer_id = 9 where id = 4'],
      [],
      [transfer(4, 2), moved],
    ],
    [
      'that an order of another customer revokes an asset',
      'asset_revoked_by_customer',
      [`update asset set ${REVOKED.replace('= 4', '= 6')} where id = 4`],
      [],
      [`update asset set ${REVOKED} where id = 4`],
    ],
    ['that an asset moves without a transfer', 'asset_transfer_recorded', [moved]],
    [
      'that an asset moves with a transfer of another asset, or to another customer',
      'asset_transfer_recorded',
      [moved],
      [transfer(1, 2), transfer(4, 3, 2)],
      [transfer(4, 2), moved],
    ],
    ['a transfer to an unknown customer', 'asset_transfer_to_customer_id_fkey', [transfer(4, 9)]],
    [
      'a transfer from an unknown customer',
      'asset_transfer_from_customer_id_fkey',
      [transfer(4, 2).replace(' 1, 2)', ' 9, 2)')],
    ],
    ['a transfer to the customer who has the asset', 'asset_transfer_check', [transfer(4, 1)], [], [transfer(4, 2)]],
    ['a transfer that is stored twice', 'asset_transfer_pkey', [transfer(4, 3)], [transfer(4, 2)]],
    [
      'a transfer that changes',
      'asset_transfer_no_update',
      ['update asset_transfer set to_customer_id = 3'],
      [transfer(1, 2, 2)],
    ],
    ['a transfer that is deleted', 'asset_transfer_no_delete', ['delete from asset_transfer'], [transfer(1, 2, 2)]],
    ['transfers that are truncated', 'asset_transfer_no_truncate', ['truncate asset_transfer']],
    [
      'an assignment that ends while the asset is lent',
      'asset_assignment_not_lent',
      [TAKEN_BACK],
      [...LENT, assign(1, 1)],
      ['delete from asset_assignment where asset_id = 1', 'delete from asset_lending', TAKEN_BACK],
    ],
    ['an assignment that changes', 'asset_assignment_no_update', ['update asset_assignment set member_id = 2'], LENT],
    ['a loan that changes', 'asset_lending_no_update', ['update asset_lending set lock_asset_id = 2'], LENT],
    ['assignments that are truncated', 'asset_assignment_no_truncate', ['truncate asset_assignment']],
    ['loans that are truncated', 'asset_lending_no_truncate', ['truncate asset_lending']],
    [
      'an assignment of a borrowed lock, to an employee or in the name of another enterprise, or to a deleted one',
      'asset_assignment_allowed',
      [
        assign(5, 1),
        assign(4, 3),
        assign(4, 4),
        OF_OTHERS,
        `${assign(4, 1)}, (5, 1, 1, 1)`,
        `${assign(4, 1)}, (1, 3, 1, 1)`,
      ],
      [],
      HELD,
    ],
    [
      'a loan of an unassigned asset, into no lock, or into a lock of another enterprise',
      'asset_lending_allowed',
      [lend(1, 5), lend(4, 2), lend(4, 7), `${lend(4, 5)}, (1, 5, 1, 1)`],
      [
        `insert into asset (id, asset_num, customer_id, license_type, borrowed_usb_key, created_by_order_id)
          values (7, 'X7', 3, 'softkey', true, 1)`,
        ...HELD,
      ],
      [lend(4, 5)],
    ],
    [
      'loans of two employees into one lock by one statement',
      'asset_lending_one_employee',
      [`${lend(1, 5)}, (4, 5, 1, 1)`],
      [assign(1, 1), assign(4, 2)],
    ],
    [
      'a loan into a lock that another employee’s asset is lent into',
      'asset_lending_one_employee',
      [lend(4, 5)],
      [assign(1, 1), assign(2, 1), assign(4, 2), lend(1, 5)],
      [lend(2, 5)],
    ],
    ['terms that change', 'product_terms_no_update', ["update product_terms set fields = '{}'"]],
    ['terms that are deleted', 'product_terms_no_delete', ['delete from product_terms']],
    ['terms that are truncated', 'product_terms_no_truncate', ['truncate product_terms']],
    [
      'that an employee with assigned assets is deleted',
      'member_deleted_unassigned',
      [deleteMembers('id = 2'), deleteMembers('id in (1, 2)')],
      [assign(4, 2)],
      ["update member set name = 'Kim Lee' where id = 2", TAKEN_BACK, deleteMembers('id = 2')],
    ],
    [
      'a grant that moves away from its active contents',
      'asset_grant_no_update',
      ['asset_id = 4', 'license_order_id = 5'].map(
        (set) => `update asset_grant set ${set} where asset_id = 1 and license_order_id = 2`,
      ),
    ],
  ])('%s', async (_, rule, refused, before = [], allowed = []) => {
    await run(...before);
    for (const statement of refused) await expectRefused(rule, () => run(statement));
    await run(...allowed);
  });

  it('a transfer without a grant of its order, as the commit finds', async () => {
    for (const statement of [transfer(4, 2), transfer(1, 2, 9), transfer(9, 2)]) {
      await expectRefused('asset_transfer_granted', () => run(statement, 'set constraints all immediate'));
    }
    await run(transfer(4, 2));
    await insert('asset_grant', { asset_id: 4, license_order_id: 5 });
    await run('set constraints all immediate');
  });

  describe('that an asset', () => {
    const CONTENTS = ['product_instance', 'merchandise_instance', 'asset_grant'] as const;

    it('is inserted for a customer that does not exist', async () => {
      await expectRowRefused('asset_customer_exists', 'asset', { id: 6, asset_num: 'X6', customer_id: 9 });
      await insert('asset', { id: 6, asset_num: 'X6', customer_id: 2 });
    });

    it('is revoked before all its contents are', async () => {
      for (const table of CONTENTS) {
        await expectRefused('asset_revoked_empty', () => revoke('asset', 'id = 1'));
        await revoke(table, 'asset_id = 1 and revoked_time is null');
      }
      await revoke('asset', 'id = 1');
    });

    it('is revoked with an active grant of one order, even if all contents of the others are revoked', async () => {
      for (const table of CONTENTS) {
        await revoke(table, 'asset_id = 1 and license_order_id = 1 and revoked_time is null');
      }
      await expectRefused('asset_revoked_empty', () => revoke('asset', 'id = 1'));
    });

    it.each([
      ['it is assigned', HELD, 4],
      ['it is lent', LENT, 4],
      ['another asset is lent into it', LENT, 5],
    ])('is revoked, transferred, or made a lock or no lock while %s', async (_, holding, id) => {
      await run(...holding, transfer(id, 2, 2), transfer(id, 3, 5));
      const CHANGES = [REVOKED, 'customer_id = 2', 'customer_id = 3', 'borrowed_usb_key = not borrowed_usb_key'];
      const changeTo = (set: string) => run(`update asset set ${set} where id = ${id}`);
      for (const set of CHANGES) await expectRefused('asset_released', () => changeTo(set));
      await changeTo('customer_id = 1, limit_end_date = 5, freezing = true');
      await run('delete from asset_lending', TAKEN_BACK);
      for (const set of CHANGES) {
        await run('savepoint before');
        await changeTo(set);
        await run('rollback to savepoint before');
      }
    });

    it('is revoked or moved, but accepts contents of other assets', async () => {
      await run(assign(1, 1), lend(1, 5));
      await insert('asset', { id: 6, asset_num: 'X6' });
      await run(transfer(4, 2), 'update asset set customer_id = 2, borrowed_usb_key = true where id = 4');
      await revoke('asset', 'id = 6');
    });
  });

  it.each<[Table, isActive: string, another: Row]>([
    ['asset', 'id = 4', { id: 6, asset_num: 'X6' }],
    ['asset_grant', 'asset_id = 1', { asset_id: 4, license_order_id: 1 }],
    ['merchandise_instance', 'id = 11', { id: 31, asset_id: 1, license_order_id: 1 }],
    ['product_instance', 'id = 21', { id: 31, asset_id: 1, license_order_id: 1 }],
  ])(
    'that a row of %s has the time of its revocation without the order, or the reverse',
    async (table, isActive, another) => {
      const rule = `${table}_revoked_by`;
      for (const set of ['revoked_time = statement_timestamp()', 'revoked_by_order_id = 4']) {
        await expectRefused(rule, () => run(`update ${table} set ${set} where ${isActive}`));
      }
      const row = { ...another, ...revoked };
      for (const missing of [{ revoked_time: null }, { revoked_by_order_id: null }]) {
        await expectRefused(rule, () => insert(table, { ...row, ...missing }));
      }
      if (table === 'asset') await expectRefused('asset_inserted_active', () => insert(table, row));
      else await insert(table, row);
    },
  );

  it('a product without terms, or with another URI’s hash', async () => {
    const row = { id: 31, asset_id: 1, license_order_id: 1 };
    for (const wrong of [{ terms_id: 9 }, { terms_id: 2 }, { uri_hash: HASHES.b }, { uri_hash: 0 }]) {
      await expectRowRefused('product_instance_terms', 'product_instance', { ...row, ...wrong });
    }
    await insert('product_instance', row, { ...row, id: 32, terms_id: 2, uri_hash: HASHES.b });
  });

  describe('a grant', () => {
    const granted = { asset_id: 4, license_order_id: 1 };
    const rule = 'asset_grant_revoked_empty';

    it('of an unknown order, a failed one, one that does not buy, or one of another customer', async () => {
      for (const license_order_id of [9, 3, 4]) {
        await expectRowRefused('asset_grant_order', 'asset_grant', { ...granted, license_order_id });
      }
      await expectRefused('asset_grant_order', () => insert('asset_grant', { ...granted, license_order_id: 6 }));
      await insert('asset_grant', granted);
    });

    it('to no asset, and an active one to a revoked asset', async () => {
      const rule = 'asset_grant_asset';
      await expectRefused(rule, () => insert('asset_grant', { ...granted, asset_id: 9 }));
      await expectRefused(rule, () => insert('asset_grant', { asset_id: 3, license_order_id: 2 }));
      await insert('asset_grant', { asset_id: 3, license_order_id: 2, ...revoked });
    });

    it('revoked with active contents of it, but not because of those of another order or asset', async () => {
      const ofFirst = 'asset_id = 1 and license_order_id = 1';
      await expectRefused(rule, () => revoke('asset_grant', ofFirst));
      await revoke('product_instance', 'id in (21, 22)');
      await expectRefused(rule, () => revoke('asset_grant', ofFirst));
      await revoke('merchandise_instance', 'id in (11, 12)');
      await revoke('asset_grant', ofFirst);
    });

    it('revoked with an active product of it', async () => {
      await revoke('product_instance', 'id = 21');
      await revoke('merchandise_instance', 'id in (11, 12)');
      await expectRefused(rule, () => revoke('asset_grant', 'asset_id = 1 and license_order_id = 1'));
    });

    it('revoked with active contents that its order has taken over, but not because of its own purchases', async () => {
      const ofFirst = 'asset_id = 1 and license_order_id = 1';
      const ofFifth = 'asset_id = 1 and license_order_id = 5';
      await run(transfer(1, 2, 5));
      for (const table of ['product_instance', 'merchandise_instance'] as const) {
        await run(`update ${table} set held_by_order_id = 5 where ${ofFirst} and revoked_time is null`);
      }
      await revoke('asset_grant', ofFirst);
      await expectRefused(rule, () => insert('asset_grant', { asset_id: 1, license_order_id: 5, ...revoked }));
      await insert('asset_grant', { asset_id: 1, license_order_id: 5 });
      await expectRefused(rule, () => revoke('asset_grant', ofFifth));
      await revoke('product_instance', `${ofFirst} and revoked_time is null`);
      await revoke('merchandise_instance', `${ofFirst} and revoked_time is null`);
      await revoke('asset_grant', ofFifth);
    });
  });

  describe.each<[Table, inside: string]>([
    ['merchandise_instance', 'parent_id'],
    ['product_instance', 'merchandise_id'],
  ])('a %s', (table, inside) => {
    const row = { id: 31, asset_id: 1, license_order_id: 1 };
    const changeTo = (set: string) => run(`update ${table} set ${set} where id = 31`);

    it('without a grant of its order to its asset, revoked or not', async () => {
      const rule = `${table}_granted`;
      const ofOther = { asset_id: 2, license_order_id: 2 };
      for (const wrong of [{ asset_id: 9 }, { asset_id: 4 }, ofOther, { license_order_id: 9 }]) {
        await expectRowRefused(rule, table, { ...row, ...wrong });
      }
      await insert(table, row);
    });

    it('that is active under a revoked grant, but not a revoked one', async () => {
      for (const [id, onRevoked] of [
        [31, { asset_id: 2, license_order_id: 5 }],
        [32, { asset_id: 3 }],
      ] as const) {
        await expectRefused(`${table}_granted`, () => insert(table, { ...row, id, ...onRevoked }));
        await insert(table, { ...row, id, ...onRevoked, ...revoked });
      }
    });

    it('held by an order without a grant, revoked or not, or active and by one with a revoked grant', async () => {
      const rule = `${table}_granted`;
      await expectRowRefused(rule, table, { ...row, held_by_order_id: 5 });
      await expectRefused(rule, () => insert(table, { ...row, asset_id: 2, held_by_order_id: 5 }));
      await insert(table, { ...row, asset_id: 2, held_by_order_id: 5, ...revoked });
      await insert(table, { ...row, id: 32, asset_id: 2, license_order_id: 5, held_by_order_id: 1 });
    });

    it('taken over by an order that did not transfer its asset, or did so before and has its grant', async () => {
      const rule = `${table}_transferred`;
      await insert(table, row);
      await expectRefused(rule, () => changeTo('held_by_order_id = 5'));
      await run(transfer(2, 2, 5), transfer(1, 2, 2));
      await expectRefused(rule, () => changeTo('held_by_order_id = 2'));
      await expectRefused(rule, () => changeTo('held_by_order_id = 5'));
      await run(transfer(1, 2, 5));
      await changeTo('held_by_order_id = 5');
      await expectRefused(rule, () => changeTo('held_by_order_id = null'));
      await changeTo("crm_product_id = 'other'");
    });

    it('in a merchandise of another asset or order, revoked or not, or active in a revoked one', async () => {
      const rule = `${table}_inside`;
      for (const merchandiseId of [15, 14]) await expectRowRefused(rule, table, { ...row, [inside]: merchandiseId });
      await expectRefused(rule, () => insert(table, { ...row, [inside]: 13 }));
      await insert(table, { ...row, [inside]: 13, ...revoked }, { ...row, id: 32, ...active, [inside]: 12 });
    });

    it('that moves into a merchandise, to another asset or order, or gets another ID', async () => {
      await insert(table, row);
      const places = [15, 14, 13, 12].map((merchandiseId) => `${inside} = ${merchandiseId}`);
      for (const set of [...places, 'asset_id = 2', 'license_order_id = 2', 'asset_id = 4', 'id = 32']) {
        await expectRefused(`${table}_no_update`, () => changeTo(set));
      }
      await changeTo("crm_product_id = 'other'");
    });
  });

  it('nested merchandise in one statement, one of them in another order’s merchandise', async () => {
    const nested = [31, 32, 33, 34].map((id) => ({
      id,
      asset_id: 1,
      license_order_id: 1,
      parent_id: id === 31 ? null : id - 1,
    }));
    const odd = nested.map((row) => (row.id === 34 ? { ...row, license_order_id: 2 } : row));
    await expectRefused('merchandise_instance_inside', () => insert('merchandise_instance', ...odd));
    await insert('merchandise_instance', ...nested);
  });

  it('a merchandise revoked with an active product or child in it, unless the same statement revokes the child', async () => {
    const rule = 'merchandise_instance_revoked_empty';
    await expectRefused(rule, () => revoke('merchandise_instance', 'id in (11, 12)'));
    await revoke('product_instance', 'id = 21');
    await expectRefused(rule, () => revoke('merchandise_instance', 'id = 11'));
    await revoke('merchandise_instance', 'id in (11, 12)');
  });

  describe('one invalid row of two:', () => {
    const granted = { asset_id: 4, license_order_id: 1 };
    const bought = { id: 31, asset_id: 1, license_order_id: 1 };
    const beside = { ...bought, id: 32 };
    const ofTwo = (table: Table, odd: Row) => () => insert(table, bought, { ...beside, ...odd });
    const moveTwo = 'update asset set customer_id = 2 where id in (2, 4)';
    const onTwo = ['merchandise_instance', 'product_instance'] as const;

    type Case = [rule: string, statement: string | (() => Promise<void>), before?: string[]];

    it.each<Case>([
      [
        'asset_customer_exists',
        () => insert('asset', { id: 6, asset_num: 'X6' }, { id: 7, asset_num: 'X7', customer_id: 9 }),
      ],
      ['asset_revoked_empty', () => revoke('asset', 'id in (1, 4)')],
      ['asset_transfer_recorded', moveTwo, [transfer(4, 2)]],
      ['asset_transfer_recorded', moveTwo, [transfer(4, 2), transfer(2, 3)]],
      ['asset_released', moveTwo, [assign(4, 1), transfer(2, 2), transfer(4, 2)]],
      ['asset_grant_order', () => insert('asset_grant', granted, { ...granted, license_order_id: 3 })],
      ['asset_grant_asset', () => insert('asset_grant', granted, { asset_id: 3, license_order_id: 2 })],
      [
        'asset_grant_revoked_empty',
        () => revoke('asset_grant', 'asset_id in (2, 4) and license_order_id = 1 and revoked_time is null'),
        ['insert into asset_grant (asset_id, license_order_id) values (4, 1)'],
      ],
      ...onTwo.map((table): Case => [`${table}_granted`, ofTwo(table, { asset_id: 4 })]),
      ...onTwo.map((table): Case => [`${table}_granted`, ofTwo(table, { held_by_order_id: 5 })]),
      ['merchandise_instance_inside', ofTwo('merchandise_instance', { parent_id: 15 })],
      ['product_instance_inside', ofTwo('product_instance', { merchandise_id: 15 })],
      [
        'merchandise_instance_transferred',
        'update merchandise_instance set held_by_order_id = 5 where id in (11, 15)',
        [transfer(1, 2)],
      ],
      ['product_instance_transferred', 'update product_instance set held_by_order_id = 5 where id in (22, 24)'],
      ['merchandise_instance_revoked_empty', () => revoke('merchandise_instance', 'id in (12, 15)')],
    ])('%s', async (rule, statement, before = []) => {
      await run(...before);
      await expectRefused(rule, () => (typeof statement === 'string' ? run(statement) : statement()));
    });
  });

  it('every rule across rows of these tables was tried', async () => {
    const { rows } = await sql<{ rule: string }>`
      select format('%s %s', tgrelid::regclass, tgfoid::regproc) as rule from pg_trigger
      where not tgisinternal and tgrelid::regclass::text in
        (${sql.join([...TABLES, 'product_terms', 'asset_transfer', 'asset_assignment', 'asset_lending', 'license_order'])})
      union
      select conname from pg_constraint
      where conname like '%revoked_by'
        or (conrelid = 'asset_transfer'::regclass and contype in ('c', 'f'))`.execute(trx);
    expect([...tried].toSorted()).toEqual(expect.arrayContaining(rows.map(({ rule }) => rule)));
  });
});

const ids = new LedgerIds();
let lastOrderId = 1_000_000;

const one = { customerId: '1', channelCustomerId: 'c1', enterpriseGlobalId: '1' } as Customer;

function acceptedOf(...orders: Sent[]): OrderWithId[] {
  return BatchOrder.parse(batchOf(...orders)).orderList.map((order) => ({
    licenseOrderId: String(++lastOrderId) as LicenseOrderId,
    order,
    channels: null,
  }));
}

/** Applies orders as a drain does. */
function apply(orders: OrderWithId[]) {
  return inTransaction(database.db, async (trx) => {
    const { ledger, outcomes } = await planOnLoaded(trx, orders);
    await storeApplied(trx, ledger, outcomes, ids);
    return { ledger, outcomes };
  });
}

async function applyAll(...orders: Sent[]): Promise<void> {
  const { outcomes } = await apply(acceptedOf(...orders));
  expect(outcomes.map(({ failure }) => failure)).toEqual(orders.map(() => null));
}

/**
 * Buys a number for the first customer, with a product, and a merchandise with another inside, with a product in each.
 */
const purchase = (assetNum: string) =>
  newBuy(one, [assetNum], {}, { merchandises: [merchandise({ children: [merchandise({ merchandiseNum: 'M-2' })] })] });

it('a fault in the code that applies the same orders again stores nothing', async () => {
  const assetNum = newAssetNum();
  await applyAll(purchase(assetNum));
  const orders = acceptedOf(deleteAsset(one, [assetNum]));
  const { ledger, outcomes } = await apply(orders);
  const before = await contentOfTables(database.db);
  const again = (work: Parameters<typeof inTransaction>[1]) => inTransaction(database.db, work);
  await expect(again((trx) => writeLedger(trx, ledger, ids))).rejects.toMatchObject({
    constraint: 'asset_grant_revoked_final',
  });
  await expect(again((trx) => storeApplied(trx, ledger, outcomes, ids))).rejects.toMatchObject({
    constraint: 'license_order_pkey',
  });
  expect(await contentOfTables(database.db)).toEqual(before);
});

/** The clock of the database server may be set back, or a standby with a slower clock may take over. */
describe('after the clock was set back', () => {
  it('earlier purchases can be revoked', async () => {
    const assetNum = newAssetNum();
    await applyAll(purchase(assetNum));
    await sql`update asset set created_time = created_time + interval '1 hour', updated_time = updated_time + interval '1 hour'
      where asset_num = ${assetNum}`.execute(database.db);
    for (const order of [newBuy(one, [assetNum]), deleteAsset(one, [assetNum])]) {
      const [accepted] = acceptedOf(order);
      const outcomes = await inTransaction(database.db, (trx) => applyOrders(trx, [accepted!], ids));
      expect(outcomes).toMatchObject([{ failure: null }]);
    }
  });

  it('orders accepted before are applied', async () => {
    const batch = prepareBatch(
      '1' as ApplicationId,
      BatchOrder.parse(batchOf(newBuy(one, [newAssetNum()]))),
      new Map([[one.customerId, FIRST_CHANNEL]]),
    );
    const [{ lane, payload }] = batch.chunks as [(typeof batch.chunks)[number]];
    await sql`
      insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
        order_types, digest_version, request_id)
      values (1000, 1, 'test', 'ahead', 'async', '', '{1}', '{1}', '{new_buy}', 1, 'R')`.execute(database.db);
    await sql`
      insert into lane_chunk (batch_id, lane, customer_ids, order_count, weight, payload, payload_version, accepted_time)
      values (1000, ${lane}, '{1}', 1, 1, ${payload}, 1, now() + interval '1 hour')`.execute(database.db);
    expect(await drainLanes(database.db, freeLanes(ALL_LANES), ids)).toMatchObject({ succeeded: 1, failedOrders: [] });
  });
});

import { randomUUID } from 'node:crypto';
import { type AssetId, type Customer, LicenseType, type LockAction, LockResult } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, dataOf, refusalOf } from '../../harness/api.ts';
import { applicationIdOf, contentOfTables } from '../../harness/databases/tables.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** O6 and O7 disable and enable locks; freezing and unfreezing do so for certificates (rules 7). */

const { stack, api } = await testStack();
const customer = await api.newCustomer();

const LOCK = '/asset/lock';
const UNLOCK = '/asset/unlock';
const FREEZE = '/asset/freeze';
const UNFREEZE = '/asset/unfreeze';
const LOCKABLE = ['normal_recover_usbkey', 'normal_recover_lan_usbkey', 'lk_product_usbkey', 'lk_auth_usbkey'];
const FREEZABLE = ['softkey', 'lan_softkey'];
const [SUCCESS, NO_SUCH_ASSET, FAILED, WRONG_TYPE] = [1, 2, 3, 4] as const;

const submit = (path: string, assetNums: string[], operatorIdentity = 'Ada'): Promise<Answer> =>
  api.call('POST', path, { body: { assetNums, operatorIdentity } });
const resultsIn = (answer: Answer): LockResult[] => z.array(z.strictObject(LockResult.shape)).parse(dataOf(answer));
const change = async (path: string, assetNums: string[]) => resultsIn(await submit(path, assetNums));
const entries = (status: number, assetNums: string[]) => assetNums.map((assetNum) => ({ assetNum, status }));

const newNums = (count: number) => Array.from({ length: count }, newAssetNum);

/** Buys new numbers: active, neither locked nor frozen. */
async function buy(count: number, licenseType: LicenseType = 'normal_recover_usbkey'): Promise<string[]> {
  const assetNums = newNums(count);
  await api.carryOut(newBuy(customer, assetNums, { licenseType }));
  return assetNums;
}

/**
 * Returns all assets that the number has had, oldest first, with the actions that their audit entries record, oldest
 * first.
 */
async function readAssets(assetNum: string) {
  const columns = ['id', 'locked', 'freezing', 'revoked_time', 'customer_id', 'updated_time'] as const;
  const query = stack.db.selectFrom('asset').select(columns).where('asset_num', '=', assetNum).orderBy('id');
  const rows = await query.execute();
  return await Promise.all(
    rows.map(async (row) => ({ ...row, audit: (await readAudit(row.id)).map((a) => a.action) })),
  );
}
const readAudit = (assetId: AssetId) =>
  stack.db.selectFrom('lock_audit').selectAll().where('asset_id', '=', assetId).orderBy('id').execute();
const activeAsset = async (assetNum: string) =>
  (await readAssets(assetNum)).find(({ revoked_time }) => revoked_time === null)!;

/** Returns whether an asset is locked or frozen, and the actions that its audit entries record. */
const readState = async (assetNum: string) => {
  const { locked, freezing, audit } = await activeAsset(assetNum);
  return { locked, freezing, audit };
};

/** Neither locked nor frozen. */
const USABLE = { locked: false, freezing: false };
const LOCKED = { ...USABLE, locked: true };

describe.each<[string, path: string, opposite: string, LockAction, before: LockAction[], types: string[]]>([
  ['O6 disables', LOCK, UNLOCK, 'locked', [], LOCKABLE],
  ['O7 enables', UNLOCK, LOCK, 'unlocked', ['locked'], LOCKABLE],
  ['freezeAssets freezes', FREEZE, UNFREEZE, 'frozen', [], FREEZABLE],
  ['unfreezeAssets unfreezes', UNFREEZE, FREEZE, 'unfrozen', ['frozen'], FREEZABLE],
])('%s', (_, path, opposite, action, before, types) => {
  const ofType = types[0] as LicenseType;
  const wrongType = types === LOCKABLE ? 'softkey' : 'normal_recover_usbkey';
  const state = { ...USABLE, locked: action === 'locked', freezing: action === 'frozen' };
  /** Returns bought numbers in the other state, with the audit entries `before`. */
  async function ready(count = 1, licenseType = ofType): Promise<string[]> {
    const assetNums = await buy(count, licenseType);
    if (before.length > 0) await change(opposite, assetNums);
    return assetNums;
  }
  const changed = { ...state, audit: [...before, action] };

  it.each(LicenseType.options)('changes a %s only if its type allows that', async (licenseType) => {
    const status = types.includes(licenseType) ? SUCCESS : WRONG_TYPE;
    const assetNums = await ready(1, licenseType);
    const answer = await submit(path, assetNums);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ code: 0, message: 'success', data: entries(status, assetNums) });
    expect(await readState(assetNums[0]!)).toEqual(status === SUCCESS ? changed : { ...USABLE, audit: [] });
  });

  it('changes nothing for numbers of no active asset: status 2', async () => {
    const [active, revoked] = (await ready(2)) as [string, string];
    await api.carryOut(deleteAsset(customer, [revoked], { licenseType: ofType }));
    const alike = [active.slice(0, -1), `${active.slice(0, -1)}%`, `${active} or 1=1`];
    const missing = [newAssetNum(), ...alike, revoked];
    const tables = await contentOfTables(stack.db);
    expect(await change(path, missing)).toEqual(entries(NO_SUCH_ASSET, missing));
    expect(await contentOfTables(stack.db)).toEqual(tables);
  });

  it('answers numbers in the order sent, as often as they were sent, and changes each once', async () => {
    const [a, b, c] = (await ready(3)) as [string, string, string];
    const [other] = await buy(1, wrongType);
    const unknown = newAssetNum();
    const sent = [b, unknown, a, other!, b, unknown, c, a, b];
    const statuses = [SUCCESS, NO_SUCH_ASSET, SUCCESS, WRONG_TYPE, SUCCESS, NO_SUCH_ASSET, SUCCESS, SUCCESS, SUCCESS];
    expect(await change(path, sent)).toEqual(sent.map((assetNum, index) => ({ assetNum, status: statuses[index] })));
    for (const assetNum of [a, b, c]) expect(await readState(assetNum)).toEqual(changed);
  });

  it('succeeds for an asset already in the wanted state, and neither changes nor records it', async () => {
    const assetNums = await ready(2);
    await change(path, assetNums.slice(0, 1));
    const first = await activeAsset(assetNums[0]!);
    expect(await change(path, assetNums)).toEqual(entries(SUCCESS, assetNums));
    expect(await change(path, assetNums)).toEqual(entries(SUCCESS, assetNums));
    expect(await activeAsset(assetNums[0]!)).toEqual(first);
    for (const assetNum of assetNums) expect(await readState(assetNum)).toEqual(changed);
  });

  it('changes only the state: products, grants and the other fields of the asset stay', async () => {
    const assetNums = await ready(2);
    const tables = await contentOfTables(stack.db);
    const selectAsset = stack.db.selectFrom('asset').selectAll().where('asset_num', '=', assetNums[0]!);
    const asset = await selectAsset.executeTakeFirstOrThrow();
    await change(path, assetNums.slice(0, 1));
    const now = await selectAsset.executeTakeFirstOrThrow();
    expect(now).toEqual({ ...asset, ...state, updated_time: now.updated_time });
    expect(now.updated_time.getTime()).toBeGreaterThanOrEqual(asset.updated_time.getTime());
    const { asset: _asset, lock_audit, ...others } = await contentOfTables(stack.db);
    expect(tables).toMatchObject(others);
    expect(lock_audit!.rows).toBe(tables.lock_audit!.rows + 1);
  });

  it('records who requested what, once per change', async () => {
    const assetNums = await ready(2);
    const other = await stack.newApi();
    const requestId = `lock-audit_${action}.${randomUUID().slice(0, 8)}`;
    const operatorIdentity = `李 "Ada" o'Hara <ada@example.com> 😀`;
    const answer = await other.call('POST', path, {
      body: { assetNums, operatorIdentity: `  ${operatorIdentity}\n` },
      headers: { 'x-request-id': requestId },
    });
    expect(resultsIn(answer)).toEqual(entries(SUCCESS, assetNums));
    expect(answer.headers.get('x-request-id')).toBe(requestId);
    const applicationId = await applicationIdOf(stack.db, other.credentials);
    for (const assetNum of assetNums) {
      const { id: assetId, updated_time } = await activeAsset(assetNum);
      const auditEntries = await readAudit(assetId);
      expect(auditEntries).toHaveLength(before.length + 1);
      expect(auditEntries.at(-1)).toEqual({
        id: expect.any(String),
        asset_id: assetId,
        action,
        operator_identity: operatorIdentity,
        application_id: applicationId,
        request_id: requestId,
        recorded_time: updated_time,
      });
    }
  });

  it('changes 1,000 numbers at once', async () => {
    const assetNums = await ready(1_000);
    const sent = assetNums.toReversed();
    expect(await change(path, sent)).toEqual(entries(SUCCESS, sent));
    const { rows } = await sql<{ locked: boolean; freezing: boolean; action: LockAction }>`
      select locked, freezing, action from asset join lock_audit on asset_id = asset.id
      where asset_num = any (${assetNums})`.execute(stack.db);
    expect(rows.filter((row) => row.action === action)).toEqual(Array(1_000).fill({ ...state, action }));
    expect(rows).toHaveLength(1_000 * (before.length + 1));
  });
});

/** What else orders do to disabled locks, and to new assets of their numbers, the model compares (test/model). */
it('a disabled lock stays disabled when it is transferred, and can be enabled there', async () => {
  const assetNums = await buy(1);
  await change(LOCK, assetNums);
  const other = await api.newCustomer();
  await api.carryOut(newBuy(other, assetNums, {}, { transferedAssetNum: true }));
  expect(await activeAsset(assetNums[0]!)).toMatchObject({
    customer_id: other.customerId,
    locked: true,
    audit: ['locked'],
  });
  expect(await change(UNLOCK, assetNums)).toEqual(entries(SUCCESS, assetNums));
  expect(await readState(assetNums[0]!)).toEqual({ ...USABLE, audit: ['locked', 'unlocked'] });
});

/**
 * Makes PostgreSQL fail with a SQLSTATE on one number's lock in the table while `work` runs. With `times`, only that
 * many attempts fail.
 */
async function whileFailing<Result>(
  fault: { table: 'asset' | 'lock_audit'; assetNum: string; sqlState: string; times?: number },
  work: () => Promise<Result>,
): Promise<Result> {
  const { table, sqlState, times = 1_000_000 } = fault;
  const { id } = await activeAsset(fault.assetNum);
  const [event, column] = table === 'asset' ? ['update', 'id'] : ['insert', 'asset_id'];
  // A sequence keeps its count when a transaction rolls back.
  await sql
    .raw(
      `create sequence attempt;
      create function fail() returns trigger language plpgsql as $$ begin
        if nextval('attempt') <= ${times} then raise sqlstate '${sqlState}' using message = 'made to fail'; end if;
        return new;
      end $$;
      create trigger fail before ${event} on ${table} for each row when (new.${column} = ${id}) execute function fail();`,
    )
    .execute(stack.db);
  try {
    return await work();
  } finally {
    await sql.raw('drop function fail cascade; drop sequence attempt').execute(stack.db);
  }
}

describe('a fault on one lock', () => {
  /** raise_exception, unique_violation. */
  const SQL_STATES = ['P0001', '23505'];
  const FAULTS = (['asset', 'lock_audit'] as const).flatMap((table) =>
    SQL_STATES.map((sqlState) => ({ table, sqlState })),
  );

  it.each(FAULTS)('is status 3 and does not affect the others: $sqlState in $table', async ({ table, sqlState }) => {
    const assetNums = await buy(4);
    const [first, bad, third, last] = assetNums as [string, string, string, string];
    const before = await activeAsset(bad);
    const sent = [first, bad, newAssetNum(), third, bad, last];
    const statuses = [SUCCESS, FAILED, NO_SUCH_ASSET, SUCCESS, FAILED, SUCCESS];
    const results = await whileFailing({ table, sqlState, assetNum: bad }, () => change(LOCK, sent));
    expect(results).toEqual(sent.map((assetNum, index) => ({ assetNum, status: statuses[index] })));
    expect(await activeAsset(bad)).toEqual(before);
    for (const assetNum of [first, third, last])
      expect(await readState(assetNum)).toEqual({ ...LOCKED, audit: ['locked'] });
    // After the fault, the same call changes the remaining lock.
    expect(await change(LOCK, assetNums)).toEqual(entries(SUCCESS, assetNums));
    for (const assetNum of assetNums) expect(await readState(assetNum)).toEqual({ ...LOCKED, audit: ['locked'] });
  });

  it('refuses the call if no other lock can be changed, and the call can be repeated', async () => {
    const [assetNum, unlocked] = await buy(2);
    await change(LOCK, [assetNum!]);
    const fault = { table: 'asset', sqlState: 'P0001', assetNum: assetNum! } as const;
    const answer = await whileFailing(fault, () => submit(UNLOCK, [assetNum!, unlocked!]));
    expect(refusalOf(answer)).toMatchObject({ code: '500', cause: 'service_unavailable' });
    expect(await readState(assetNum!)).toEqual({ ...LOCKED, audit: ['locked'] });
    expect(await change(UNLOCK, [assetNum!])).toEqual(entries(SUCCESS, [assetNum!]));
  });

  it('does not affect a lock already in the wanted state: status 1', async () => {
    const assetNums = await buy(2);
    await change(LOCK, assetNums);
    const fault = { table: 'asset', sqlState: 'P0001', assetNum: assetNums[0]! } as const;
    expect(await whileFailing(fault, () => change(LOCK, assetNums))).toEqual(entries(SUCCESS, assetNums));
  });

  /** Faults of the whole service: disk full, out of memory, shutdown, and conflicts that retries don't resolve. */
  it.each(['53100', '53200', '57P01', '57014', '40P01', '40001'])(
    'refuses the whole call if it comes from PostgreSQL itself: %s',
    async (sqlState) => {
      const assetNums = await buy(3);
      const tables = await contentOfTables(stack.db);
      const fault = { table: 'asset', sqlState, assetNum: assetNums[1]! } as const;
      const answer = await whileFailing(fault, () => submit(LOCK, assetNums));
      // A canceled statement waited for others too long. Every other state is a fault.
      const cause = sqlState === '57014' ? 'overloaded' : 'service_unavailable';
      expect(refusalOf(answer)).toMatchObject({ code: '500', cause });
      expect(answer.headers.get('retry-after')).not.toBeNull();
      expect(JSON.stringify(answer.body)).not.toContain('made to fail');
      expect(await contentOfTables(stack.db)).toEqual(tables);
      expect(await change(LOCK, assetNums)).toEqual(entries(SUCCESS, assetNums));
    },
  );

  it.each(['40P01', '40001'])('succeeds after a transient conflict: %s', async (sqlState) => {
    const assetNums = await buy(3);
    const fault = { table: 'lock_audit', sqlState, assetNum: assetNums[1]!, times: 2 } as const;
    expect(await whileFailing(fault, () => change(LOCK, assetNums))).toEqual(entries(SUCCESS, assetNums));
    for (const assetNum of assetNums) expect(await readState(assetNum)).toEqual({ ...LOCKED, audit: ['locked'] });
  });
});

describe('concurrently', () => {
  const CALLERS = 6;
  const ROUNDS = 15;

  /** Numbers that PostgreSQL and JavaScript may sort differently. */
  const newMixedNums = () => ['a', 'B', 'ä', '锁', '8', '😀', '_', '-'].map((text) => `${text}${newAssetNum()}`);

  /** Disables and enables the numbers in many different orders. Returns all statuses. */
  async function lockInTurns(assetNums: string[], caller: number): Promise<number[]> {
    const statuses: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = (caller * 5 + round * 3) % assetNums.length;
      const turned = [...assetNums.slice(start), ...assetNums.slice(0, start)];
      const sent = caller % 2 === 0 ? turned : turned.toReversed();
      const results = await change((caller + round) % 2 === 0 ? LOCK : UNLOCK, sent);
      expect(results.map(({ assetNum }) => assetNum)).toEqual(sent);
      statuses.push(...results.map(({ status }) => status));
    }
    return statuses;
  }

  /** Expects that each asset's audit entries alternate between the two states and end with its current state. */
  async function expectConsistent(assetNums: string[], assetsOfEach: number): Promise<void> {
    for (const assetNum of assetNums) {
      const assets = await readAssets(assetNum);
      expect(assets).toHaveLength(assetsOfEach);
      for (const { audit, locked } of assets) {
        expect(audit).toEqual(audit.map((_, index) => (index % 2 === 0 ? 'locked' : 'unlocked')));
        expect(locked).toBe(audit.length % 2 === 1);
      }
    }
  }

  it('callers that disable and enable the same locks leave each in the state of its last entry', async () => {
    const assetNums = newMixedNums();
    await api.carryOut(newBuy(customer, assetNums));
    const statuses = await Promise.all(Array.from({ length: CALLERS }, (_, caller) => lockInTurns(assetNums, caller)));
    expect(new Set(statuses.flat())).toEqual(new Set([SUCCESS]));
    await expectConsistent(assetNums, 1);
  });

  it('revocations, purchases and transfers of the same numbers run, and none fails', async () => {
    const rounds = 5;
    const other = await api.newCustomer();
    const assetNums = newMixedNums();
    await api.carryOut(newBuy(customer, assetNums));
    const reversed = assetNums.toReversed();
    const transfer = (to: Customer) => newBuy(to, assetNums, {}, { transferedAssetNum: true });
    const batches = Array.from({ length: rounds }, () => [
      batchOf(deleteAsset(customer, reversed)),
      batchOf(newBuy(customer, reversed)),
      batchOf(transfer(other)),
      batchOf(transfer(customer)),
    ]).flat();
    const callers = Array.from({ length: CALLERS }, (_, caller) => lockInTurns(assetNums, caller));
    const orders = [];
    for (const batch of batches) orders.push(...(await api.process(batch)));
    const statuses = (await Promise.all(callers)).flat();
    expect(orders.filter(({ state }) => state !== 'succeeded')).toEqual([]);
    expect(statuses.filter((status) => status !== SUCCESS && status !== NO_SUCH_ASSET)).toEqual([]);
    await expectConsistent(assetNums, rounds + 1);
  });
});

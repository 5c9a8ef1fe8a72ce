import {
  type ApplicationId,
  type AssetId,
  type ChangeLocks,
  type Channels,
  type LicenseType,
  type LockAction,
  type LockResult,
  type LockStatus,
  MAX_NAMED,
} from '@lockstep/contract';
import { behindSavepoint, type Database, inTransaction, isTransient, type Logger, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { lockFound } from './storing/loading/load.ts';
import { NOW } from './storing/writing/write.ts';
import { selectAssets } from './tenant.ts';

/** License types that can be disabled: refillable locks and those of large customers (interface O6). */
const LOCKABLE: readonly LicenseType[] = [
  'normal_recover_usbkey',
  'normal_recover_lan_usbkey',
  'lk_product_usbkey',
  'lk_auth_usbkey',
];
/** License types that can be frozen: certificates. */
const FREEZABLE: readonly LicenseType[] = ['softkey', 'lan_softkey'];

/** The license types that a change allows, and the value that it gives to a column of the asset. */
const CHANGES = {
  locked: { types: LOCKABLE, column: 'locked', value: true },
  unlocked: { types: LOCKABLE, column: 'locked', value: false },
  frozen: { types: FREEZABLE, column: 'freezing', value: true },
  unfrozen: { types: FREEZABLE, column: 'freezing', value: false },
} as const satisfies Record<LockAction, unknown>;

const SUCCESS = 1;
const NO_SUCH_ASSET = 2;
const FAILED = 3;
const WRONG_TYPE = 4;

/** A change of locks or certificates, and who asked for it, for the audit log. */
interface LockChange extends ChangeLocks {
  action: LockAction;
  applicationId: ApplicationId;
  /** The channels the application is bound to: assets of other channels do not exist for it. */
  channels: Channels;
  requestId: string;
}

interface LockRow {
  id: AssetId;
  asset_num: string;
  license_type: LicenseType;
}

/**
 * Disables or enables locks, or freezes or unfreezes certificates, and returns one entry per number in the order sent
 * (rules 7). A change writes audit entries, and an event for each customer; an asset that already has the wanted state
 * succeeds as a no-op. A fault of one asset does not stop the others. A fault of every asset that would change is the
 * service's, and is thrown.
 *
 * Throws an error for which isOverload is true if the assets are not free in time; then nothing has changed.
 */
export function changeLocks(db: Database, log: Logger, change: LockChange): Promise<LockResult[]> {
  const { types, column, value } = CHANGES[change.action];
  return inTransaction(db, async (trx) => {
    const assetNums = [...new Set(change.assetNums)];
    const query = selectAssets(trx, change)
      .select(['asset.id', 'asset.asset_num', 'asset.license_type', `asset.${column} as state`])
      .where(sql<boolean>`asset.asset_num = any (${assetNums}::text[])`);
    const locks = new Map((await lockFound(query)).map((row) => [row.asset_num, row]));
    const changing = [...locks.values()].filter((row) => types.includes(row.license_type) && row.state !== value);
    const failedIds = await updateAll(trx, log, changing, change);
    const findStatus = (lock: LockRow | undefined): LockStatus => {
      if (lock === undefined) return NO_SUCH_ASSET;
      if (!types.includes(lock.license_type)) return WRONG_TYPE;
      return failedIds.has(lock.id) ? FAILED : SUCCESS;
    };
    return change.assetNums.map((assetNum) => ({ assetNum, status: findStatus(locks.get(assetNum)) }));
  });
}

/**
 * Updates locks together, or one by one if PostgreSQL refuses that. Returns the ids of the locks that PostgreSQL
 * refused. If it refused all, the fault is the service's, and is thrown.
 */
async function updateAll(trx: Trx, log: Logger, locks: LockRow[], change: LockChange): Promise<Set<string>> {
  const failedIds = new Set<string>();
  if (locks.length === 0) return failedIds;
  try {
    await behindSavepoint(trx, () => update(trx, locks, change));
    return failedIds;
  } catch (error) {
    if (isTransient(error) || locks.length === 1) throw error;
    log.error(
      { err: error, assetNums: locks.map((lock) => lock.asset_num) },
      'bulk lock change failed; changing one by one',
    );
  }
  let lastError: unknown;
  for (const lock of locks) {
    try {
      await behindSavepoint(trx, () => update(trx, [lock], change));
    } catch (error) {
      if (isTransient(error)) throw error;
      log.error({ err: error, assetNum: lock.asset_num }, 'lock change failed');
      failedIds.add(lock.id);
      lastError = error;
    }
  }
  if (failedIds.size === locks.length) throw lastError;
  return failedIds;
}

async function update(trx: Trx, locks: LockRow[], change: LockChange): Promise<void> {
  const { column, value } = CHANGES[change.action];
  const assetIds = locks.map(({ id }) => id);
  await sql`
    with changed as (
      update asset set ${sql.ref(column)} = ${value}, updated_time = ${NOW}
      where id = any (${assetIds}::bigint[]) returning *
    ), audited as (
      insert into lock_audit (asset_id, action, operator_identity, application_id, request_id)
      select id, ${change.action}, ${change.operatorIdentity}, ${change.applicationId}, ${change.requestId}
      from changed order by id
    )
    insert into unnumbered_event (type, customer_id, by_application_id, data)
    select ${`asset.${change.action}`}, customer_id, ${change.applicationId}, json_build_object(
      'customerId', customer_id::text, 'licenseOrderId', null, 'assets', (array_agg(json_build_object(
        'assetId', id::text, 'assetNum', asset_num, 'limitEndDate', limit_end_date
      ) order by id))[:${sql.lit(MAX_NAMED)}], 'counts', json_build_object('assets', count(*))
    ) from changed group by customer_id`.execute(trx);
}

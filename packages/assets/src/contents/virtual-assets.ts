import { type Channels, type EnterpriseId, type LicenseType, Refusal, type VirtualAsset } from '@lockstep/contract';
import { selectCustomers } from '@lockstep/customers';
import { type Database, FairQueue, isId, parseBigint, type Tables } from '@lockstep/platform';
import { type Selectable, sql } from 'kysely';
import { selectAssets } from '../tenant.ts';
import { PIECE_BYTES } from './contents.ts';
import { type ContentsCall, LONG_ANSWERS, READ_TURNS } from './reader.ts';

/** The license type of cloud account licenses. */
const CLOUD_ACCOUNT: LicenseType = 'cloud_customer';
/** Approximate length of an asset as JSON, without its extended attributes. */
const ASSET_BYTES = 600;

/** The enterprise, and with `extendCode` the extended attribute that its assets must have. */
interface Wanted {
  enterpriseId: EnterpriseId;
  extendCode: string | undefined;
}

/**
 * Reads the virtual assets of enterprises. An enterprise may have any number, and extended attributes may take a
 * hundred kilobytes per asset, so they are read in pieces on demand. Parties take turns piece by piece, and while a
 * client reads its answer, the call holds no connection and no slot.
 */
export class VirtualAssetReader {
  readonly #turns = new FairQueue(READ_TURNS);
  readonly #long = new FairQueue(LONG_ANSWERS);

  /**
   * O8: opens the cloud account licenses of an enterprise: active assets of its customers, oldest first (rules 7).
   * Omits assets of channels that the caller is not bound to. The list is fixed now; each asset is read later, and
   * omitted if the enterprise has lost it by then.
   *
   * Throws a Refusal: enterprise_not_found; and an error for which isOverload is true if too many reads of the
   * application are queued or no slot is free before `signal` aborts. Reading the assets may throw the latter too.
   */
  async open(
    { db, party, signal }: Omit<ContentsCall, 'kind'>,
    channels: Channels,
    wanted: Wanted,
  ): Promise<AsyncIterable<VirtualAsset>> {
    const { enterpriseId } = wanted;
    const owner = { kind: 'virtual assets', party };
    const pieces = await this.#turns.run(owner, signal, async () => {
      if (isId(enterpriseId) && (await enterpriseExists(db, enterpriseId))) return planPieces(db, channels, wanted);
      throw new Refusal('enterprise_not_found', enterpriseId);
    });
    if (pieces.length > 1) await this.#long.hold(owner, signal);
    const read = (ids: string) => this.#turns.run(owner, signal, () => readPiece(db, channels, enterpriseId, ids));
    return readPieces(pieces, read);
  }
}

async function* readPieces(
  pieces: readonly string[],
  read: (ids: string) => Promise<VirtualAsset[]>,
): AsyncGenerator<VirtualAsset, undefined> {
  for (const ids of pieces) yield* await read(ids);
}

async function enterpriseExists(db: Database, enterpriseId: EnterpriseId): Promise<boolean> {
  const found = await db.selectFrom('enterprise').select('id').where('id', '=', enterpriseId).executeTakeFirst();
  return found !== undefined;
}

/** Starts a query on the virtual assets of an enterprise. */
function selectVirtualAssets(db: Database, channels: Channels, enterpriseId: EnterpriseId) {
  const customers = selectCustomers(db, channels).where('customer.enterprise_id', '=', enterpriseId);
  return selectAssets(db, channels)
    .where('asset.customer_id', 'in', customers.select('customer.id'))
    .where('asset.license_type', '=', CLOUD_ACCOUNT);
}

/** Returns the ids of the assets, oldest first, as an array per piece; as text, because there may be a million. */
async function planPieces(db: Database, channels: Channels, { enterpriseId, extendCode }: Wanted): Promise<string[]> {
  const bytes = sql<number>`${ASSET_BYTES}::int + coalesce(extends_bytes, 0)`;
  const measured = selectVirtualAssets(db, channels, enterpriseId)
    .$if(extendCode !== undefined, (all) => all.where(sql<boolean>`asset.extends ? ${extendCode}`))
    .select(['asset.id', 'asset.created_time'])
    .select(
      sql<string>`(sum(${bytes}) over (order by created_time, id) - (${bytes})) / ${PIECE_BYTES}::int`.as('piece'),
    );
  const rows = await db
    .selectFrom(measured.as('asset'))
    .select(sql<string>`array_agg(id order by created_time, id)::text`.as('ids'))
    .groupBy('piece')
    .orderBy('piece')
    .execute();
  return rows.map(({ ids }) => ids);
}

async function readPiece(
  db: Database,
  channels: Channels,
  enterpriseId: EnterpriseId,
  ids: string,
): Promise<VirtualAsset[]> {
  const rows = await selectVirtualAssets(db, channels, enterpriseId)
    .leftJoin('asset_assignment as assignment', 'assignment.asset_id', 'asset.id')
    .selectAll('asset')
    .select(['assignment.member_id', 'assignment.created_time as assigned_time'])
    .where(sql<boolean>`asset.id = any (${ids}::bigint[])`)
    .orderBy('asset.created_time')
    .orderBy('asset.id')
    .execute();
  return rows.map(showVirtualAsset);
}

type Assignment = Selectable<Tables['asset_assignment']>;

function showVirtualAsset(
  row: Selectable<Tables['asset']> & { member_id: Assignment['member_id'] | null; assigned_time: Date | null },
): VirtualAsset {
  return {
    id: row.id,
    licenseType: CLOUD_ACCOUNT,
    assetNum: row.asset_num,
    grantable: !row.locked && !row.freezing,
    customerId: row.customer_id,
    keyShellNumber: row.asset_num.replace(/\D/g, ''),
    keyChipType: 2,
    locked: row.locked,
    freezing: row.freezing,
    createTime: row.created_time.getTime(),
    updateTime: row.updated_time.getTime(),
    limitStartTime: parseBigint(row.limit_start_date),
    limitEndTime: parseBigint(row.limit_end_date),
    assignStatus: {
      id: row.id,
      assignStatus: row.member_id === null ? 'unassigned' : 'assigned',
      assignMemberId: row.member_id,
      createTime: row.assigned_time === null ? null : String(row.assigned_time.getTime()),
      updateTime: null,
    },
    assetLimits: null,
    assetExtends: Object.entries(row.extends ?? {}).map(([extendCode, extendValue]) => ({ extendCode, extendValue })),
    borrowedUsbKey: row.borrowed_usb_key,
  };
}

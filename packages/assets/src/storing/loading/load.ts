import type { CustomerId, EnterpriseId, LicenseOrderId } from '@lockstep/contract';
import { arrayText, isId, run, type Statement, type Trx, together } from '@lockstep/platform';
import { emptyChanges, type Ledger, type LedgerCustomer } from '../../ledger/ledger.ts';
import { type AssetRow, assetRows, buildAsset, type FoundRow, foundRows, type PurchaseRow } from './assets.ts';
import { lockAll } from './locking.ts';

/** The part of the ledger that orders may need. */
export interface LedgerNeeds {
  customerIds: Set<CustomerId>;
  /** Orders named as sources. */
  purchaseIds: Set<LicenseOrderId>;
  assetNums: Set<string>;
  /** Codes of the extended attributes that orders set. */
  codes: Set<string>;
  /** Whether to load the customers of assets and purchases too, because an application may be bound to channels. */
  owners: boolean;
}

const ids = <Id extends string>(digits: Iterable<Id>) => [...digits].filter(isId);

/**
 * Loads the part of the ledger that orders need, without contents (see loadContents), as of one moment, and locks its
 * assets until the transaction ends. They are locked in the order of their numbers, so that transactions that need the
 * same assets wait; only one that has to lock again (lockAll) may deadlock, and runs again.
 */
export function loadLedger(trx: Trx, needs: LedgerNeeds): Promise<Ledger> {
  return load(trx, needs, true);
}

/** Reads the part of the ledger that orders need without locking it, in a snapshot, for a preview. */
export function readLedger(trx: Trx, needs: LedgerNeeds): Promise<Ledger> {
  return load(trx, needs, false);
}

async function load(trx: Trx, needs: LedgerNeeds, areLocked: boolean): Promise<Ledger> {
  const { locked, purchases, customers } = await lockAll(async () => {
    const [locked, rows, customers] = await together<[AssetRow, FoundRow, CustomerRow]>(trx, [
      assetRows([...needs.assetNums], [...needs.codes], areLocked),
      foundRows([...needs.assetNums], ids(needs.purchaseIds)),
      customerRows(ids(needs.customerIds)),
    ]);
    const purchases = rows.filter((row): row is PurchaseRow => row.customer_id !== null);
    return { locked, found: rows.filter((row) => row.customer_id === null), purchases, customers };
  });
  const ownerIds = [...locked, ...purchases].map((row) => row.customer_id);
  const owners = needs.owners ? await run(trx, customerRows([...new Set(ownerIds)])) : [];
  return {
    customers: new Map([...customers, ...owners].map((row) => [row.id, buildCustomer(row)])),
    customerOfPurchase: new Map(purchases.map((row) => [row.id, row.customer_id])),
    assets: new Map(locked.map((row) => [row.asset_num, buildAsset(row)])),
    changes: emptyChanges(),
  };
}

interface CustomerRow {
  id: CustomerId;
  enterprise_id: EnterpriseId;
  channel_code: string;
}

function buildCustomer(row: CustomerRow): LedgerCustomer {
  return { enterpriseId: row.enterprise_id, channelCode: row.channel_code };
}

const customerRows = (customerIds: CustomerId[]): Statement<CustomerRow> => ({
  name: 'read_customers',
  text: 'select id, enterprise_id, channel_code from customer where id = any ((select $1::bigint[])::bigint[])',
  values: [arrayText('bigint', customerIds)],
});

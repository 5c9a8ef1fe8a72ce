import { type LedgerIds, licenseOrderIdOf } from '@lockstep/assets';
import type {
  BatchId,
  CustomerId,
  DeleteAssetOrder,
  DeleteProductOrder,
  EnterpriseId,
  Merchandise,
  NewBuyOrder,
  ProductToBuy,
} from '@lockstep/contract';
import { behindSavepoint, type Trx, untilAnswered } from '@lockstep/platform';
import { sql } from 'kysely';
import { applyOrders } from './apply.ts';
import type { OrderWithId } from './outcome.ts';

/** Thrown when everything went well, so that it is rolled back. */
class Taken extends Error {}

/**
 * Carries out one order of every kind as any order is carried out, and rolls all of it back, to find out whether what
 * every order needs (tables, columns, privileges, triggers, rules) works: a purchase with a product and nested
 * merchandise, an extension, a transfer, a delete_product and a delete_asset, of customers that exist, on a number of its
 * own.
 *
 * Throws what went wrong. The transaction can go on either way.
 */
export async function tryCanary(trx: Trx, ids: LedgerIds): Promise<void> {
  const taken = new Taken();
  try {
    await behindSavepoint(trx, async () => {
      for (const accepted of await buildCanaryOrders(trx)) {
        const [outcome] = await applyOrders(trx, [accepted], ids);
        if (outcome!.failure !== null) throw new Error(`An order that must succeed fails: ${outcome!.failure.message}`);
      }
      await untilAnswered(trx);
      throw taken;
    });
  } catch (error) {
    if (error !== taken) throw error;
  }
}

interface CanaryCustomer {
  id: CustomerId;
  enterprise_id: EnterpriseId;
}

async function buildCanaryOrders(trx: Trx): Promise<OrderWithId[]> {
  const { rows } = await sql<CanaryCustomer>`select id, enterprise_id from customer order by id limit 2`.execute(trx);
  const [owner, other = owner] = rows;
  // Without customers no order could succeed, and this could prove nothing.
  if (owner === undefined || other === undefined) throw new Error('There is no customer');
  // The ids of a batch that never comes, so that the orders go where those of new batches go.
  const { rows: drawn } = await sql<{ id: BatchId }>`select nextval('batch_id') as id`.execute(trx);
  const batchId = drawn[0]!.id;
  const assetNum = `canary ${batchId}`;
  const purchaseId = licenseOrderIdOf(batchId, 0);
  const orders = [
    purchase(owner, { assetNos: [assetNum], products: [product()], merchandises: [merchandise([merchandise()])] }),
    purchase(owner, {
      assetNos: [assetNum],
      assetExtendList: [{ extendCode: 'canary', extendValue: '1' }],
      limitStartDate: 0,
      limitEndDate: 1,
      products: [{ ...product(), srcLicenseOrderId: purchaseId }],
    }),
    purchase(other, { assetNos: [assetNum], transferedAssetNum: true }),
    revocationOfProduct(other, assetNum),
    revocationOfAsset(other, assetNum),
  ];
  return orders.map((order, index) => ({
    licenseOrderId: licenseOrderIdOf(batchId, index),
    order,
    channels: null,
  }));
}

function header(owner: CanaryCustomer) {
  return {
    sequence: 0,
    customerId: owner.id,
    enterpriseGlobalId: owner.enterprise_id,
    licenseType: 'softkey' as const,
    customerType: 'company' as const,
    ...{ crmCustomerId: 'canary', customerName: 'canary', channelCustomerId: 'canary', adminName: 'canary' },
    ...{ adminAccount: 'canary', adminEmail: 'canary', adminCellNumber: 'canary', passwordMobile: 'canary' },
    ...{ address: 'canary', branchCode: 'canary', branchName: 'canary', srcLicenseOrderId: undefined },
  };
}

function purchase(owner: CanaryCustomer, asset: NewBuyOrder['assets'][number]): NewBuyOrder {
  return { ...header(owner), orderType: 'new_buy', assets: [asset] };
}

function revocationOfAsset(owner: CanaryCustomer, assetNum: string): DeleteAssetOrder {
  return { ...header(owner), orderType: 'delete_asset', assets: [{ assetNos: [assetNum] }] };
}

function revocationOfProduct(owner: CanaryCustomer, assetNum: string): DeleteProductOrder {
  const { crmProductId, productUri, limitConcurrent } = product();
  const revoked = { crmProductId, productUri, limitConcurrent, strictMatchWhenDelete: false };
  return { ...header(owner), orderType: 'delete_product', assets: [{ assetNos: [assetNum], products: [revoked] }] };
}

function product(): ProductToBuy {
  return {
    ...{ crmProductId: 'canary', parentCrmProductId: '', productUri: 'canary', productName: 'Canary' },
    ...{ gmsPid: undefined, appKey: undefined, productType: 'tool', limitConcurrent: 1, limitTimeDuration: 0 },
    ...{ strictMatchWhenDelete: false, trial: 0, trialEndDate: 0, timeUnit: 'year', timeUnitQuantity: 1 },
    ...{ timeDurationExpression: '1-0-0', srcLicenseOrderId: undefined, productFeatures: [] },
  };
}

function merchandise(children?: Merchandise[]): Merchandise {
  return {
    ...{ crmProductId: 'canary', parentCrmProductId: '', merchandiseNum: 'canary', merchandiseName: 'Canary' },
    ...{ parentMerchandiseNum: '', timeDurationExpression: '1-0-0', children },
    licenseOrderProductList: [product()],
  };
}

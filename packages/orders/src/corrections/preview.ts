import {
  type Effects,
  type EndedProduct,
  heldBy,
  type Ledger,
  type ProductInstance,
  readEndedProducts,
  readLedger,
} from '@lockstep/assets';
import { type Channels, findConcerned, type Order, type OrderPreview } from '@lockstep/contract';
import type { ComparedPreview } from '@lockstep/contract/console';
import { type Database, inSnapshot, type Trx } from '@lockstep/platform';
import { checkNumbers, type PreparedBatch } from '../accepting/prepare.ts';
import { planOrders } from '../applying/apply.ts';
import { type DifferingField, isPreviewId, ProductNotFound, previewIdOf, type Wanted } from '../planning/matching.ts';
import { tooLarge } from '../planning/order.ts';
import { collectNeeds, type Planned } from '../planning/plan.ts';

/** An asset number that an order names, and whether an active asset has it. */
export interface NamedNumber {
  assetNum: string;
  isActive: boolean;
}

/**
 * Returns what each order of a batch would do if the batch ran now, in orderList order (rules 6.6). Plans the orders by
 * sequence; each sees the effects of those before it. Changes nothing and does not wait for pending orders.
 *
 * Throws a Refusal: asset_number_shared; batch_too_large if the orders together touch too much.
 */
export async function previewBatch(...sent: Sent): Promise<OrderPreview[]> {
  const { previews } = await comparePreview(...sent);
  return previews.map((preview) => ({ ...preview, nearest: preview.nearest.map(({ values, ...nearest }) => nearest) }));
}

type Sent = [db: Database, batch: PreparedBatch, orders: readonly Order[], channels: Channels];

/**
 * Like `previewBatch`, for operators: includes the values in which the nearest products differ. Also returns the asset
 * numbers that each order names, and whether an active asset has them before any order takes effect.
 */
export async function comparePreview(
  ...[db, batch, orders, channels]: Sent
): Promise<{ previews: ComparedPreview[]; numbers: NamedNumber[][] }> {
  checkNumbers(batch);
  return await inSnapshot(db, async (trx) => {
    const accepted = orders.map((order, index) => ({ licenseOrderId: previewIdOf(index), order, channels }));
    const ledger = await readLedger(trx, collectNeeds(accepted));
    const numbers = orders.map((order) => listNumbers(order, ledger));
    const bySequence = accepted.toSorted((a, b) => a.order.sequence - b.order.sequence);
    const planned = await planOrders(trx, ledger, bySequence);
    if (planned.length < orders.length) throw tooLarge(accepted.indexOf(bySequence[planned.length]!));
    const previews = new Map<string, ComparedPreview>();
    for (const plan of planned) {
      previews.set(plan.accepted.licenseOrderId, buildPreview(plan, await readEnded(trx, ledger, plan)));
    }
    return { previews: accepted.map(({ licenseOrderId }) => previews.get(licenseOrderId)!), numbers };
  });
}

/** Reads the products that a planned order revoked together with their grants. */
async function readEnded(trx: Trx, ledger: Ledger, { accepted, effects }: Planned): Promise<EndedProduct[]> {
  const assets = new Set(effects?.grants.flatMap(({ action, asset }) => (action === 'revoke' ? [asset] : [])));
  return assets.size === 0 ? [] : await readEndedProducts(trx, ledger, accepted.licenseOrderId, assets);
}

function listNumbers({ assets }: Order, ledger: Ledger): NamedNumber[] {
  const numbers = new Set(assets.flatMap(({ assetNos }) => assetNos));
  return [...numbers].map((assetNum) => ({ assetNum, isActive: ledger.assets.has(assetNum) }));
}

function buildPreview({ accepted, effects, refusal }: Planned, ended: readonly EndedProduct[]): ComparedPreview {
  const { sequence, customerId, orderType } = accepted.order;
  const concerned = findConcerned(refusal?.reason, refusal?.args);
  const order = { sequence, customerId, orderType, ...concerned };
  if (refusal === null) {
    const what = { assets: listAssets(effects), products: listProducts(effects, ended), nearest: [] };
    return { ...order, state: 'succeeded', cause: null, message: null, args: null, ...what };
  }
  const what = { assets: [], products: [], nearest: compareNearest(refusal) };
  const { reason: cause, message, args } = refusal;
  return { ...order, state: 'failed', cause, message, args: [...args], ...what };
}

/** Returns one entry for each asset: the first action, if several elements name the asset. */
function listAssets(effects: Effects): OrderPreview['assets'] {
  const actions = new Map<string, OrderPreview['assets'][number]['action']>();
  for (const { asset, action } of effects.assets) {
    if (!actions.has(asset.assetNum)) actions.set(asset.assetNum, action);
  }
  return [...actions].map(([assetNum, action]) => ({ assetNum, action }));
}

/** Lists products revoked together with grants, then the others. */
function listProducts(effects: Effects, ended: readonly EndedProduct[]): OrderPreview['products'] {
  return [
    ...ended.map(({ assetNum, productUri, id }) => ({ assetNum, productUri, action: 'revoke' as const, id })),
    ...effects.products.map(({ asset, product: { id, productUri }, action }) => ({
      assetNum: asset.assetNum,
      productUri,
      action,
      id,
    })),
  ];
}

type Nearest = ComparedPreview['nearest'];
type Value = Nearest[number]['values'][number]['wanted'];

/** Lists the products nearest to one that was not found, with both values of each differing field. */
function compareNearest(refusal: Error): Nearest {
  if (!(refusal instanceof ProductNotFound)) return [];
  const { asset, wanted, nearest } = refusal;
  const { assetNum } = asset;
  return nearest.map(({ product, differs }) => ({
    assetNum,
    productUri: product.productUri,
    id: product.id,
    differs,
    values: differs.map((field) => ({ field, wanted: wantedValue(wanted, field), found: foundValue(product, field) })),
  }));
}

function wantedValue({ product, srcLicenseOrderId }: Wanted, field: DifferingField): Value {
  return (field === 'srcLicenseOrderId' ? srcLicenseOrderId : product[field]) ?? null;
}

/** Null if the source order is in the same preview, because it has no id yet. */
function foundValue(product: ProductInstance, field: DifferingField): Value {
  if (field !== 'srcLicenseOrderId') return product[field];
  const orderId = heldBy(product);
  return isPreviewId(orderId) ? null : orderId;
}

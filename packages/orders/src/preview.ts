import { type Effects, readLedger } from '@lockstep/assets';
import type { Channels, Order, OrderPreview } from '@lockstep/contract';
import { type Database, inSnapshot } from '@lockstep/platform';
import { type Planned, planEach } from './apply.ts';
import { LargeBatches } from './large-batches.ts';
import { ProductNotFound } from './matching.ts';
import { checkNumbers, type PreparedBatch } from './prepare.ts';
import { scopeOf } from './scope.ts';

/** Looks at what batches would do (decisions 6.6). */
export class BatchPreviewer {
  readonly #db: Database;
  readonly #large = new LargeBatches();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * What each order of a batch would do if the batch ran now: by sequence, each order seeing what the ones before it
   * would have done. In orderList order; changes nothing and waits for no order.
   *
   * `channels`: what the application is bound to. Throws a Refusal: asset_number_shared; what isOverload knows, where too many large ones of the application wait, or no turn comes in time.
   */
  async preview(batch: PreparedBatch, orders: () => Promise<Order[]>, channels: Channels): Promise<OrderPreview[]> {
    checkNumbers(batch);
    return await this.#large.inTurn(batch, async () => previewOrders(this.#db, await orders(), channels));
  }
}

async function previewOrders(db: Database, orderList: readonly Order[], channels: Channels): Promise<OrderPreview[]> {
  // Not digits: no order can name one of these as its source.
  const orders = orderList.map((order, index) => ({ licenseOrderId: `preview ${index}`, order, channels }));
  const ledger = await inSnapshot(db, (trx) => readLedger(trx, scopeOf(orders)));
  const previews = new Map<string, OrderPreview>();
  for (const planned of planEach(
    ledger,
    orders.toSorted((a, b) => a.order.sequence - b.order.sequence),
  )) {
    previews.set(planned.accepted.licenseOrderId, previewOf(planned));
  }
  return orders.map(({ licenseOrderId }) => previews.get(licenseOrderId)!);
}

function previewOf({ accepted, effects, refusal }: Planned): OrderPreview {
  const { sequence, customerId, orderType } = accepted.order;
  const order = { sequence, customerId, orderType };
  if (refusal === null) {
    const what = { assets: assetsOf(effects), products: productsOf(effects), nearest: [] };
    return { ...order, state: 'succeeded', cause: null, message: null, ...what };
  }
  const what = { assets: [], products: [], nearest: nearestOf(refusal) };
  return { ...order, state: 'failed', cause: refusal.reason, message: refusal.message, ...what };
}

/** One entry an asset, however many elements of the order name it: what the first of them does. */
function assetsOf(effects: Effects): OrderPreview['assets'] {
  const actions = new Map<string, OrderPreview['assets'][number]['action']>();
  for (const { asset, action } of effects.assets) {
    if (!actions.has(asset.assetNum)) actions.set(asset.assetNum, action);
  }
  return [...actions].map(([assetNum, action]) => ({ assetNum, action }));
}

function productsOf(effects: Effects): OrderPreview['products'] {
  return effects.products.map(({ asset, product, action }) => ({
    assetNum: asset.assetNum,
    productUri: product.productUri,
    action,
    id: product.id,
  }));
}

function nearestOf(refusal: Error): OrderPreview['nearest'] {
  if (!(refusal instanceof ProductNotFound)) return [];
  return refusal.nearest.map(({ product, differs }) => ({
    assetNum: refusal.assetNum,
    productUri: product.productUri,
    id: product.id,
    differs,
  }));
}

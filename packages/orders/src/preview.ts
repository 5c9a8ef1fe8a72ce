import { type Effects, type Ledger, readLedger } from '@lockstep/assets';
import type { Channels, Order, OrderPreview } from '@lockstep/contract';
import type { ComparedPreview } from '@lockstep/contract/console';
import { type Database, inSnapshot } from '@lockstep/platform';
import { LargeBatches } from './large-batches.ts';
import { collectNeeds } from './ledger-needs.ts';
import { ProductNotFound } from './matching.ts';
import { compareNearest } from './operator-comparison.ts';
import { type Planned, planEach } from './plan.ts';
import { checkNumbers, type PreparedBatch } from './prepare.ts';
import { previewIdOf } from './preview-ids.ts';

/** An asset number that an order names, and whether an active asset has it now. */
export interface NamedNumber {
  assetNum: string;
  isActive: boolean;
}

/** Previews what batches would do (rules 6.6). */
export class BatchPreviewer {
  readonly #db: Database;
  readonly #large = new LargeBatches();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Returns what each order of a batch would do if the batch ran now, in orderList order. Orders are planned by sequence,
   * and each sees what the ones before it would have done. It changes nothing and waits for no order.
   *
   * `channels`: what the application is bound to. Throws a Refusal: asset_number_shared. Throws what isOverload knows if
   * too many large batches of the application wait, or no turn comes in time.
   */
  async preview(batch: PreparedBatch, orders: () => Promise<Order[]>, channels: Channels): Promise<OrderPreview[]> {
    checkNumbers(batch);
    return await this.#large.inTurn(batch, async () => previewOrders(this.#db, await orders(), channels, buildPreview));
  }

  /** The same for an operator, who also sees in which values the nearest products differ. */
  async compare(batch: PreparedBatch, orders: () => Promise<Order[]>, channels: Channels): Promise<ComparedPreview[]> {
    checkNumbers(batch);
    return await this.#large.inTurn(batch, async () =>
      previewOrders(this.#db, await orders(), channels, buildComparedPreview),
    );
  }

  /** The same, and for the orders the asset numbers that they name: whether an active asset has each before any takes effect. */
  async compareWithNow(
    batch: PreparedBatch,
    orders: () => Promise<Order[]>,
    channels: Channels,
  ): Promise<{ previews: ComparedPreview[]; numbers: NamedNumber[][] }> {
    checkNumbers(batch);
    return await this.#large.inTurn(batch, async () => {
      const orderList = await orders();
      let numbers: NamedNumber[][] = [];
      const previews = await previewOrders(this.#db, orderList, channels, buildComparedPreview, (ledger) => {
        numbers = orderList.map((order) => listNumbers(order, ledger));
      });
      return { previews, numbers };
    });
  }
}

async function previewOrders<Preview>(
  db: Database,
  orderList: readonly Order[],
  channels: Channels,
  build: (planned: Planned) => Preview,
  lookAt: (ledger: Ledger) => void = () => {},
): Promise<Preview[]> {
  const orders = orderList.map((order, index) => ({ licenseOrderId: previewIdOf(index), order, channels }));
  const ledger = await inSnapshot(db, (trx) => readLedger(trx, collectNeeds(orders)));
  lookAt(ledger);
  const previews = new Map<string, Preview>();
  for (const planned of planEach(
    ledger,
    orders.toSorted((a, b) => a.order.sequence - b.order.sequence),
  )) {
    previews.set(planned.accepted.licenseOrderId, build(planned));
  }
  return orders.map(({ licenseOrderId }) => previews.get(licenseOrderId)!);
}

function buildComparedPreview(planned: Planned): ComparedPreview {
  return { ...buildPreview(planned), nearest: compareNearest(planned.refusal) };
}

/** Lists the asset numbers of an order, each once. */
function listNumbers({ assets }: Order, ledger: Ledger): NamedNumber[] {
  const numbers = new Set(assets.flatMap(({ assetNos }) => assetNos));
  return [...numbers].map((assetNum) => ({ assetNum, isActive: ledger.assets.has(assetNum) }));
}

function buildPreview({ accepted, effects, refusal }: Planned): OrderPreview {
  const { sequence, customerId, orderType } = accepted.order;
  const order = { sequence, customerId, orderType };
  if (refusal === null) {
    const what = { assets: listAssets(effects), products: listProducts(effects), nearest: [] };
    return { ...order, state: 'succeeded', cause: null, message: null, ...what };
  }
  const what = { assets: [], products: [], nearest: listNearest(refusal) };
  return { ...order, state: 'failed', cause: refusal.reason, message: refusal.message, ...what };
}

/** Lists one entry for each asset, however many elements of the order name it: what the first of them does. */
function listAssets(effects: Effects): OrderPreview['assets'] {
  const actions = new Map<string, OrderPreview['assets'][number]['action']>();
  for (const { asset, action } of effects.assets) {
    if (!actions.has(asset.assetNum)) actions.set(asset.assetNum, action);
  }
  return [...actions].map(([assetNum, action]) => ({ assetNum, action }));
}

function listProducts(effects: Effects): OrderPreview['products'] {
  return effects.products.map(({ asset, product, action }) => ({
    assetNum: asset.assetNum,
    productUri: product.productUri,
    action,
    id: product.id,
  }));
}

function listNearest(refusal: Error): OrderPreview['nearest'] {
  if (!(refusal instanceof ProductNotFound)) return [];
  return refusal.nearest.map(({ product, differs }) => ({
    assetNum: refusal.assetNum,
    productUri: product.productUri,
    id: product.id,
    differs,
  }));
}

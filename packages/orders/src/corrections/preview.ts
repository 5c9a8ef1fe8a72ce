import {
  type Effects,
  type EndedProduct,
  heldBy,
  type Ledger,
  Pace,
  type ProductInstance,
  readEndedProducts,
  readLedger,
} from '@lockstep/assets';
import type { Channels, Order, OrderPreview } from '@lockstep/contract';
import type { ComparedPreview } from '@lockstep/contract/console';
import { type Database, Deadline, FairQueue, inSnapshot, type Trx } from '@lockstep/platform';
import { checkNumbers, type PreparedBatch } from '../accepting/prepare.ts';
import type { LargeBatches } from '../applying/large-turns.ts';
import { planEach } from '../applying/plan-loaded.ts';
import { type DifferingField, isPreviewId, ProductNotFound, previewIdOf, type Wanted } from '../planning/matching.ts';
import { collectNeeds } from '../planning/needs.ts';
import type { Planned } from '../planning/plan.ts';
import { tooLarge } from '../sync/batches.ts';
import { MAX_WAIT_MS } from './cancel.ts';

/** An asset number that an order names, and whether an active asset has it. */
export interface NamedNumber {
  assetNum: string;
  isActive: boolean;
}

/**
 * How many large previews a process holds at once, from their turn until their calls end: each needs tens of megabytes
 * until its client has read it. Also, how many of one application it holds, and how many of one application may wait.
 */
const LARGE = { atOnce: 4, atOnceOfOwner: 2, maxWaiting: () => 4 };

/** How many products are listed before the event loop may run other work. */
const LISTED_AT_ONCE = 5_000;

export interface PreviewCall {
  channels: Channels;
  /** Ends waiting. It must abort at the end of the call, to free the memory of a large preview. */
  signal: AbortSignal;
}

/** Previews what batches would do (rules 6.6). */
export class BatchPreviewer {
  readonly #db: Database;
  readonly #large: LargeBatches;
  readonly #held = new FairQueue(LARGE);

  /** `large`: shared with the sync batches of this process. */
  constructor({ db, large }: { db: Database; large: LargeBatches }) {
    this.#db = db;
    this.#large = large;
  }

  /**
   * Returns what each order of a batch would do if the batch ran now, in orderList order. Plans the orders by sequence;
   * each sees the effects of those before it. Changes nothing and does not wait for pending orders.
   *
   * Throws a Refusal: asset_number_shared; batch_too_large if the orders together touch too much. Throws an overload
   * (isOverload) if too many large batches of the application wait, or its turn does not come in time.
   */
  preview(batch: PreparedBatch, orders: () => Promise<Order[]>, call: PreviewCall): Promise<OrderPreview[]> {
    return this.#preview(batch, orders, call, buildPreview);
  }

  /** Like `preview`, for operators: includes the values in which the nearest products differ. */
  compare(batch: PreparedBatch, orders: () => Promise<Order[]>, call: PreviewCall): Promise<ComparedPreview[]> {
    return this.#preview(batch, orders, call, buildComparedPreview);
  }

  /**
   * Like `compare`. Also returns the asset numbers that each order names, and whether an active asset has them before
   * any order takes effect.
   */
  async compareWithNow(
    batch: PreparedBatch,
    orders: () => Promise<Order[]>,
    call: PreviewCall,
  ): Promise<{ previews: ComparedPreview[]; numbers: NamedNumber[][] }> {
    let numbers: NamedNumber[][] = [];
    const previews = await this.#preview(batch, orders, call, buildComparedPreview, (orderList, ledger) => {
      numbers = orderList.map((order) => listNumbers(order, ledger));
    });
    return { previews, numbers };
  }

  async #preview<Preview>(
    batch: PreparedBatch,
    orders: () => Promise<Order[]>,
    { channels, signal }: PreviewCall,
    build: (planned: Planned, ended: readonly EndedProduct[]) => Promise<Preview>,
    lookAt: (orderList: readonly Order[], ledger: Ledger) => void = () => {},
  ): Promise<Preview[]> {
    checkNumbers(batch);
    const preview = async (isLarge: boolean) => {
      const orderList = await orders();
      return await inSnapshot(this.#db, async (trx) => {
        const accepted = orderList.map((order, index) => ({ licenseOrderId: previewIdOf(index), order, channels }));
        const ledger = await readLedger(trx, collectNeeds(accepted));
        lookAt(orderList, ledger);
        const bySequence = accepted.toSorted((a, b) => a.order.sequence - b.order.sequence);
        const previews = new Map<string, Preview>();
        await planEach(trx, ledger, bySequence, { isLarge }, async (planned) => {
          const ended = await readEnded(trx, ledger, planned);
          previews.set(planned.accepted.licenseOrderId, await build(planned, ended));
        });
        if (previews.size < accepted.length) throw tooLarge(accepted.indexOf(bySequence[previews.size]!));
        return accepted.map(({ licenseOrderId }) => previews.get(licenseOrderId)!);
      });
    };
    const owner = { kind: 'large preview', party: batch.applicationId };
    return await this.#large.run(batch, preview, async () => {
      await this.#held.hold(owner, signal);
      return AbortSignal.any([signal, new Deadline(MAX_WAIT_MS).signal]);
    });
  }
}

/** Reads the products that a planned order revoked together with their grants. */
async function readEnded(trx: Trx, ledger: Ledger, { accepted, effects }: Planned): Promise<EndedProduct[]> {
  const assets = new Set(effects?.grants.flatMap(({ action, asset }) => (action === 'revoke' ? [asset] : [])));
  return assets.size === 0 ? [] : await readEndedProducts(trx, ledger, accepted.licenseOrderId, assets);
}

async function buildComparedPreview(planned: Planned, ended: readonly EndedProduct[]): Promise<ComparedPreview> {
  return { ...(await buildPreview(planned, ended)), nearest: compareNearest(planned.refusal) };
}

function listNumbers({ assets }: Order, ledger: Ledger): NamedNumber[] {
  const numbers = new Set(assets.flatMap(({ assetNos }) => assetNos));
  return [...numbers].map((assetNum) => ({ assetNum, isActive: ledger.assets.has(assetNum) }));
}

async function buildPreview(
  { accepted, effects, refusal }: Planned,
  ended: readonly EndedProduct[],
): Promise<OrderPreview> {
  const { sequence, customerId, orderType } = accepted.order;
  const order = { sequence, customerId, orderType };
  if (refusal === null) {
    const what = { assets: listAssets(effects), products: await listProducts(effects, ended), nearest: [] };
    return { ...order, state: 'succeeded', cause: null, message: null, ...what };
  }
  const what = { assets: [], products: [], nearest: listNearest(refusal) };
  return { ...order, state: 'failed', cause: refusal.reason, message: refusal.message, ...what };
}

/** Returns one entry for each asset: the first action, if several elements name the asset. */
function listAssets(effects: Effects): OrderPreview['assets'] {
  const actions = new Map<string, OrderPreview['assets'][number]['action']>();
  for (const { asset, action } of effects.assets) {
    if (!actions.has(asset.assetNum)) actions.set(asset.assetNum, action);
  }
  return [...actions].map(([assetNum, action]) => ({ assetNum, action }));
}

/**
 * Lists products revoked together with grants, then the others. There may be 200,000, so it yields to the event loop
 * regularly.
 */
async function listProducts(effects: Effects, ended: readonly EndedProduct[]): Promise<OrderPreview['products']> {
  const products: OrderPreview['products'] = [];
  const pace = new Pace();
  for (const { assetNum, productUri, id } of ended) {
    products.push({ assetNum, productUri, action: 'revoke', id });
    if (products.length % LISTED_AT_ONCE === 0) await pace.giveWay();
  }
  for (const { asset, product, action } of effects.products) {
    const { id, productUri } = product;
    products.push({ assetNum: asset.assetNum, productUri, action, id });
    if (products.length % LISTED_AT_ONCE === 0) await pace.giveWay();
  }
  return products;
}

function listNearest(refusal: Error): OrderPreview['nearest'] {
  if (!(refusal instanceof ProductNotFound)) return [];
  return refusal.nearest.map(({ product, differs }) => ({
    assetNum: refusal.asset.assetNum,
    productUri: product.productUri,
    id: product.id,
    differs,
  }));
}

type Nearest = ComparedPreview['nearest'];
type Value = Nearest[number]['values'][number]['wanted'];

/** Lists the products nearest to one that was not found, with both values of each differing field. */
function compareNearest(refusal: Error | null): Nearest {
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

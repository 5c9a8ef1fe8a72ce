import {
  type Asset,
  type AssetTerms,
  createGrant,
  type Effects,
  type Grant,
  type Ledger,
  listNewCodes,
  type MerchandiseInstance,
  type ProductInstance,
} from '@lockstep/assets';
import {
  type AssetToBuy,
  MAX_TIME,
  type Merchandise,
  type NewBuyOrder,
  type ProductToBuy,
  Refusal,
} from '@lockstep/contract';
import {
  activeOn,
  checkLicenseType,
  checkSource,
  emptyEffects,
  isVisible,
  type Limits,
  type OrderWithId,
  pathOf,
  Touched,
} from './order.ts';

/**
 * Plans a new_buy: creates, extends or transfers assets, and puts products and merchandise onto them (rules 6.5
 * new_buy).
 */
export function planNewBuy(ledger: Ledger, accepted: OrderWithId, order: NewBuyOrder, limits: Limits): Effects {
  const effects = emptyEffects(order.customerId);
  const touched = new Touched(order, limits);
  /** Assets that earlier elements of this order named, with their period so far. They count as the customer's. */
  const bought = new Map<string, { asset: Asset; grant: Grant; period: Period; buy: Purchase }>();
  for (const element of order.assets) {
    const terms = readTerms(element);
    for (const assetNum of element.assetNos) {
      touched.startOn(element, assetNum);
      const earlier = bought.get(assetNum);
      const grant = earlier?.grant ?? createGrant(accepted.licenseOrderId);
      const asset =
        earlier?.asset ?? buyAsset(ledger, accepted, order, { element, terms, assetNum, grant }, { effects, touched });
      if (earlier === undefined) effects.grants.push({ action: 'create', asset, grant });
      else effects.assets.push({ action: 'extend', asset, terms });
      const period = replacePeriod(earlier?.period ?? asset, terms, assetNum, (field) => pathOf(order, element, field));
      const buy = earlier?.buy ?? new Purchase(ledger, accepted, { asset, grant }, { effects, touched, limits });
      bought.set(assetNum, { asset, grant, period, buy });
      buy.attributes(terms);
      for (const product of element.products ?? []) buy.product(product, null);
      for (const merchandise of element.merchandises ?? []) buy.merchandise(merchandise, null);
    }
  }
  effects.touched = touched.instances;
  return effects;
}

type Period = Pick<Asset, 'limitStartDate' | 'limitEndDate'>;

/**
 * Returns the period of an asset after an element has replaced the dates that it gives. Throws a Refusal:
 * dates_reversed.
 */
function replacePeriod(
  before: Period,
  given: AssetTerms,
  assetNum: string,
  placeOf: (field: keyof Period) => string,
): Period {
  const limitStartDate = given.limitStartDate ?? before.limitStartDate;
  const limitEndDate = given.limitEndDate === undefined ? before.limitEndDate : given.limitEndDate;
  const isGiven = given.limitStartDate !== undefined || given.limitEndDate !== undefined;
  if (isGiven && limitStartDate !== null && limitEndDate !== null && limitStartDate > limitEndDate) {
    const place = placeOf(given.limitStartDate === undefined ? 'limitEndDate' : 'limitStartDate');
    throw new Refusal('dates_reversed', 'limitStartDate', assetNum, limitStartDate, limitEndDate, place);
  }
  return { limitStartDate, limitEndDate };
}

/**
 * Returns the asset with a number, either the customer's own or one to transfer (rules 6.5 Transfer), or creates it.
 * Throws a Refusal.
 */
function buyAsset(
  ledger: Ledger,
  { channels }: OrderWithId,
  order: NewBuyOrder,
  { element, terms, assetNum, grant }: { element: AssetToBuy; terms: AssetTerms; assetNum: string; grant: Grant },
  { effects, touched }: { effects: Effects; touched: Touched },
): Asset {
  const asset = ledger.assets.get(assetNum);
  const mayTransfer = element.transferedAssetNum === true;
  if (mayTransfer && (asset === undefined || !isVisible(ledger, channels, asset.customerId))) {
    throw new Refusal('asset_not_found', assetNum, '', touched.place);
  }
  if (asset === undefined) {
    const created = createAsset(order, assetNum, terms);
    effects.assets.push({ action: 'create', asset: created });
    return created;
  }
  const isTransfer = asset.customerId !== order.customerId;
  if (isTransfer && !mayTransfer) throw new Refusal('asset_owned_by_other_customer', assetNum, touched.place);
  checkLicenseType(asset, order, touched);
  touched.addHeldBy(asset);
  if (isTransfer) {
    touched.addGrantsOf(asset);
    touched.add(activeOn(asset).contents);
    effects.assets.push({ action: 'transfer', asset, terms, customerId: order.customerId, grant });
  } else effects.assets.push({ action: 'extend', asset, terms });
  return asset;
}

const NO_CODES: ReadonlySet<string> = new Set();

function createAsset(order: NewBuyOrder, assetNum: string, terms: AssetTerms): Asset {
  return {
    id: null,
    assetNum,
    customerId: order.customerId,
    licenseType: order.licenseType,
    limitStartDate: terms.limitStartDate ?? null,
    limitEndDate: terms.limitEndDate ?? null,
    borrowedUsbKey: terms.borrowedUsbKey ?? false,
    extends: terms.extends,
    storedCodes: NO_CODES,
    codeCount: Object.keys(terms.extends).length,
    active: { grants: 0, contents: 0 },
    grants: [],
    areGrantsLoaded: true,
    products: [],
    revokedBy: null,
  };
}

function readTerms(element: AssetToBuy): AssetTerms {
  const codes = (element.assetExtendList ?? []).flatMap(({ extendCode, extendValue }) =>
    extendCode === undefined ? [] : [[extendCode, extendValue ?? ''] as const],
  );
  return {
    limitStartDate: element.limitStartDate,
    // The latest time means no end.
    limitEndDate: element.limitEndDate === MAX_TIME ? null : element.limitEndDate,
    borrowedUsbKey: element.borrowedUsbKey,
    extends: Object.fromEntries(codes),
  };
}

class Purchase {
  readonly #ledger: Ledger;
  readonly #accepted: OrderWithId;
  readonly #on: { asset: Asset; grant: Grant };
  readonly #plan: { effects: Effects; touched: Touched; limits: Limits };
  #newCodes: Set<string> | undefined;
  /** How many more products and merchandise the asset may hold. */
  #room: number;

  constructor(
    ledger: Ledger,
    accepted: OrderWithId,
    on: { asset: Asset; grant: Grant },
    plan: { effects: Effects; touched: Touched; limits: Limits },
  ) {
    this.#ledger = ledger;
    this.#accepted = accepted;
    this.#on = on;
    this.#plan = plan;
    const { customerId } = on.asset;
    const active = activeOn(on.asset);
    const { limits } = plan;
    this.#room = limits.onAsset - active.contents;
    // A transfer replaces all earlier grants with one.
    const isOwn = customerId === accepted.order.customerId;
    if (isOwn && active.grants >= limits.onAsset) throw this.#full(limits.onAsset, 'grants');
  }

  /** Counts the extended attributes that an element gives. Throws a Refusal: asset_full. */
  attributes(terms: AssetTerms): void {
    const codes = Object.keys(terms.extends);
    if (codes.length === 0) return;
    this.#newCodes ??= new Set();
    for (const code of listNewCodes(this.#on.asset, codes)) this.#newCodes.add(code);
    const { codesOnAsset } = this.#plan.limits;
    if (this.#on.asset.codeCount + this.#newCodes.size <= codesOnAsset) return;
    throw this.#full(codesOnAsset, 'attributes');
  }

  product(bought: ProductToBuy, merchandise: MerchandiseInstance | null): void {
    const { licenseOrderId, order, channels } = this.#accepted;
    const { srcLicenseOrderId } = bought;
    if (srcLicenseOrderId !== undefined) {
      checkSource(this.#ledger, channels, srcLicenseOrderId, () => pathOf(order, bought, 'srcLicenseOrderId'));
    }
    this.#count();
    const product: ProductInstance = {
      id: null,
      licenseOrderId,
      grant: this.#on.grant,
      storedHeldBy: null,
      productUri: bought.productUri,
      limitStartDate: bought.limitStartDate ?? null,
      limitEndDate: bought.limitEndDate ?? null,
      limitConcurrent: bought.limitConcurrent,
      bought,
      merchandise,
      revokedBy: null,
    };
    this.#plan.effects.products.push({ action: 'create', asset: this.#on.asset, product });
  }

  merchandise(bought: Merchandise, parent: MerchandiseInstance | null): void {
    const { licenseOrderId } = this.#accepted;
    this.#count();
    const merchandise: MerchandiseInstance = {
      id: null,
      licenseOrderId,
      grant: this.#on.grant,
      storedHeldBy: null,
      bought,
      parent,
      parentId: null,
      activeContents: 0,
      revokedBy: null,
    };
    this.#plan.effects.merchandises.push({ action: 'create', asset: this.#on.asset, merchandise });
    for (const product of bought.licenseOrderProductList) this.product(product, merchandise);
    for (const child of bought.children ?? []) this.merchandise(child, merchandise);
  }

  /** Counts one more product or merchandise. Throws a Refusal: asset_full or order_too_large. */
  #count(): void {
    if (this.#room-- <= 0) throw this.#full(this.#plan.limits.onAsset, 'contents');
    this.#plan.touched.add(1);
  }

  #full(limit: number, what: string): Refusal {
    return new Refusal('asset_full', this.#on.asset.assetNum, limit, what, this.#plan.touched.place);
  }
}

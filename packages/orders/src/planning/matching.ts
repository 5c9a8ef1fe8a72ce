import { type Asset, heldBy, type ProductInstance, revokerOf } from '@lockstep/assets';
import { type LicenseOrderId, type ProductToRevoke, Refusal } from '@lockstep/contract';

export type DifferingField = 'productUri' | 'srcLicenseOrderId' | 'limitStartDate' | 'limitEndDate' | 'limitConcurrent';

/** What a delete_product looks for: a product with its path in the order, and the source order if it names one. */
export interface Wanted {
  product: ProductToRevoke;
  srcLicenseOrderId: LicenseOrderId | undefined;
  place: () => string;
}

export interface ComparedProduct {
  product: ProductInstance;
  differs: DifferingField[];
}

const MAX_NEAREST = 5;
/** How many products of an asset are compared to find the nearest: the oldest ones (rules 6.5). */
export const MAX_CANDIDATES = 100;

/** The fields by which products are indexed: productUri, and those of strict matching. */
type Terms = Pick<ProductInstance, 'productUri' | 'limitStartDate' | 'limitEndDate' | 'limitConcurrent'>;
const buildStrictKey = ({ productUri, limitStartDate, limitEndDate, limitConcurrent }: Terms) =>
  `${productUri}\n${limitStartDate}\n${limitEndDate}\n${limitConcurrent}`;

/** Index keys: productUri alone (mnemonic), or all fields of strict matching. */
const KEYS = { mnemonic: ({ productUri }: Terms) => productUri, strict: buildStrictKey };
type Kind = keyof typeof KEYS;

/** Returns how a product to revoke is matched. Absent dates become null, as stored. */
export function kindAndTerms(product: ProductToRevoke): { kind: Kind; terms: Terms } {
  const { strictMatchWhenDelete, limitStartDate = null, limitEndDate = null } = product;
  return { kind: strictMatchWhenDelete ? 'strict' : 'mnemonic', terms: { ...product, limitStartDate, limitEndDate } };
}

/** Returns a key: two products with the same key match the same instances. */
export function keyOf(product: ProductToRevoke): string {
  const { kind, terms } = kindAndTerms(product);
  return `${kind}\n${KEYS[kind](terms)}`;
}

type Index = { indexed: number; byKey: Map<string, ProductInstance[]> };
const indexes: Record<Kind, WeakMap<readonly ProductInstance[], Index>> = {
  mnemonic: new WeakMap(),
  strict: new WeakMap(),
};

/**
 * Returns the active products with a key, oldest first. The index is kept for each list, which only grows, so that
 * thousands of orders for products of one asset don't each scan all of them.
 */
function findActive(list: readonly ProductInstance[], kind: Kind, terms: Terms): readonly ProductInstance[] {
  const index = indexes[kind].get(list) ?? { indexed: 0, byKey: new Map<string, ProductInstance[]>() };
  indexes[kind].set(list, index);
  const keyFor = KEYS[kind];
  for (; index.indexed < list.length; index.indexed++) {
    const product = list[index.indexed]!;
    const key = keyFor(product);
    const others = index.byKey.get(key);
    if (others === undefined) index.byKey.set(key, [product]);
    else others.push(product);
  }
  const products = index.byKey.get(keyFor(terms)) ?? [];
  // Removes revoked products from the index for good; they never become active again.
  let active = 0;
  for (const product of products) if (revokerOf(product) === null) products[active++] = product;
  products.length = active;
  return products;
}

/**
 * Returns the active product instances of an asset that a delete_product matches (rules 6.5 delete_product), oldest
 * first. Mnemonic matching compares productUri; strict matching also compares the period and the node count, and absent
 * equals absent. With a source order, only products held by that order match.
 */
export function findMatches(asset: Asset, { product, srcLicenseOrderId }: Wanted): readonly ProductInstance[] {
  const { kind, terms } = kindAndTerms(product);
  const matches = findActive(asset.products, kind, terms);
  if (srcLicenseOrderId === undefined) return matches;
  return matches.filter((instance) => heldBy(instance) === srcLicenseOrderId);
}

function listDifferences(instance: ProductInstance, { product, srcLicenseOrderId }: Wanted): DifferingField[] {
  const differs: DifferingField[] = [];
  if (instance.productUri !== product.productUri) differs.push('productUri');
  if (srcLicenseOrderId !== undefined && heldBy(instance) !== srcLicenseOrderId) {
    differs.push('srcLicenseOrderId');
  }
  const { kind, terms } = kindAndTerms(product);
  if (kind === 'mnemonic') return differs;
  if (instance.limitStartDate !== terms.limitStartDate) differs.push('limitStartDate');
  if (instance.limitEndDate !== terms.limitEndDate) differs.push('limitEndDate');
  if (instance.limitConcurrent !== product.limitConcurrent) differs.push('limitConcurrent');
  return differs;
}

/** Returns the oldest active products, as many as are compared to find the nearest. */
export function listOldest(products: Iterable<ProductInstance>): ProductInstance[] {
  const oldest: ProductInstance[] = [];
  for (const product of products) {
    if (oldest.length === MAX_CANDIDATES) break;
    if (revokerOf(product) === null) oldest.push(product);
  }
  return oldest;
}

/** Thrown if no product instance of an asset matches. The message says in what the nearest one differs. */
export class ProductNotFound extends Refusal {
  readonly asset: Asset;
  readonly wanted: Wanted;
  /**
   * Up to five of the nearest products: first those with the same productUri, then those that differ in fewer fields.
   */
  readonly nearest: readonly ComparedProduct[];

  constructor(asset: Asset, wanted: Wanted, oldest: readonly ProductInstance[]) {
    const nearest = oldest
      .map((product) => ({ product, differs: listDifferences(product, wanted) }))
      .sort((a, b) => rankOf(a.differs) - rankOf(b.differs))
      .slice(0, MAX_NEAREST);
    const hint = nearest[0] === undefined ? '' : describe(nearest[0]);
    super('product_not_found', asset.assetNum, wanted.product.productUri, hint, wanted.place());
    this.asset = asset;
    this.wanted = wanted;
    this.nearest = nearest;
  }
}

function rankOf(differs: DifferingField[]): number {
  return (differs.includes('productUri') ? 10 : 0) + differs.length;
}

/** Returns the fields in which a product differs, with its values. An order of a preview has no id, but a place. */
function describe({ product, differs }: ComparedProduct): string {
  const orderId = heldBy(product);
  const source = isPreviewId(orderId) ? `orderList[${orderId.slice(PREFIX.length)}]` : orderId;
  return differs.map((field) => `${field} ${field === 'srcLicenseOrderId' ? source : product[field]}`).join(', ');
}

/** Orders of a preview have no ids. Their placeholders are not digits, so that no order can name one as its source. */
const PREFIX = 'preview ';

/** Returns a placeholder for the id of the order at `index` of a preview's orderList. */
export function previewIdOf(index: number): LicenseOrderId {
  return `${PREFIX}${index}` as LicenseOrderId;
}

/** Whether an id is a placeholder for an order of a preview. */
export function isPreviewId(licenseOrderId: LicenseOrderId): boolean {
  return licenseOrderId.startsWith(PREFIX);
}

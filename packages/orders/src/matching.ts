import { type Asset, heldBy, type ProductInstance } from '@lockstep/assets';
import { type ProductToRevoke, Refusal } from '@lockstep/contract';

/** A field in which a product instance can differ from what a delete_product looks for. */
export type DifferingField = 'productUri' | 'srcLicenseOrderId' | 'limitStartDate' | 'limitEndDate' | 'limitConcurrent';

/** What a delete_product looks for: a product as it was sent, of one source order where the order names it. */
export interface Wanted {
  product: ProductToRevoke;
  srcLicenseOrderId: string | undefined;
}

/** A product instance that was not what was looked for, and in which fields. */
export interface NearProduct {
  product: ProductInstance;
  differs: DifferingField[];
}

const MAX_NEAREST = 5;
/** Products that are looked at for the nearest one, of the same productUri and others: an asset may hold thousands. */
const MAX_CANDIDATES = 500;

/** What products are looked for by: the productUri, and with it all that strict matching compares. */
type Terms = Pick<ProductInstance, 'productUri' | 'limitStartDate' | 'limitEndDate' | 'limitConcurrent'>;
const strictKeyOf = ({ productUri, limitStartDate, limitEndDate, limitConcurrent }: Terms) =>
  `${productUri}\n${limitStartDate}\n${limitEndDate}\n${limitConcurrent}`;

const indexes = new WeakMap<Asset, { indexed: number; byKey: Map<string, ProductInstance[]> }>();

/**
 * An asset's active products under a key, oldest first. The index is kept with the asset, whose list of products only
 * grows, so that thousands of orders which look for products on one asset do not each go through all of them.
 */
function activeUnder(asset: Asset, key: string): readonly ProductInstance[] {
  const index = indexes.get(asset) ?? { indexed: 0, byKey: new Map<string, ProductInstance[]>() };
  indexes.set(asset, index);
  for (; index.indexed < asset.products.length; index.indexed++) {
    const product = asset.products[index.indexed]!;
    for (const each of [product.productUri, strictKeyOf(product)]) {
      const others = index.byKey.get(each);
      if (others === undefined) index.byKey.set(each, [product]);
      else others.push(product);
    }
  }
  const products = index.byKey.get(key) ?? [];
  // Revoked ones never come back: they leave the index for good.
  let active = 0;
  for (const product of products) if (product.revokedBy === null) products[active++] = product;
  products.length = active;
  return products;
}

/**
 * An asset's active product instances that a delete_product means (decisions 6.5), oldest first: mnemonic matching is by
 * productUri, strict matching by period and node count too, where absent equals absent; with a source order only
 * what it stands for.
 */
export function matchesOn(asset: Asset, { product, srcLicenseOrderId }: Wanted): readonly ProductInstance[] {
  const { limitStartDate = null, limitEndDate = null } = product;
  const key = product.strictMatchWhenDelete
    ? strictKeyOf({ ...product, limitStartDate, limitEndDate })
    : product.productUri;
  const matches = activeUnder(asset, key);
  if (srcLicenseOrderId === undefined) return matches;
  return matches.filter((instance) => heldBy(instance) === srcLicenseOrderId);
}

/** What may come nearest to a product that was not found: some products of the same productUri, then some others. */
function candidatesFor(asset: Asset, { product }: Wanted): ProductInstance[] {
  const some = (products: readonly ProductInstance[]) => products.slice(0, MAX_CANDIDATES);
  const same = some(activeUnder(asset, product.productUri));
  const others = some(asset.products).filter(
    ({ revokedBy, productUri }) => revokedBy === null && productUri !== product.productUri,
  );
  return [...same, ...others];
}

/** The fields in which a product instance is not what is looked for; none where it is. */
export function differences(instance: ProductInstance, { product, srcLicenseOrderId }: Wanted): DifferingField[] {
  const differs: DifferingField[] = [];
  if (instance.productUri !== product.productUri) differs.push('productUri');
  if (srcLicenseOrderId !== undefined && heldBy(instance) !== srcLicenseOrderId) {
    differs.push('srcLicenseOrderId');
  }
  if (!product.strictMatchWhenDelete) return differs;
  if (instance.limitStartDate !== (product.limitStartDate ?? null)) differs.push('limitStartDate');
  if (instance.limitEndDate !== (product.limitEndDate ?? null)) differs.push('limitEndDate');
  if (instance.limitConcurrent !== product.limitConcurrent) differs.push('limitConcurrent');
  return differs;
}

/** That no product instance of an asset matches; the message says in what the nearest one differs. */
export class ProductNotFound extends Refusal {
  readonly assetNum: string;
  /** What comes nearest: products of the productUri first, then those that differ in fewer fields; a few of them. */
  readonly nearest: readonly NearProduct[];

  constructor(asset: Asset, wanted: Wanted) {
    const nearest = candidatesFor(asset, wanted)
      .map((product) => ({ product, differs: differences(product, wanted) }))
      .sort((a, b) => rankOf(a.differs) - rankOf(b.differs))
      .slice(0, MAX_NEAREST);
    super('product_not_found', asset.assetNum, wanted.product.productUri, hintOf(nearest[0]));
    this.assetNum = asset.assetNum;
    this.nearest = nearest;
  }
}

function rankOf(differs: DifferingField[]): number {
  return (differs.includes('productUri') ? 10 : 0) + differs.length;
}

const list = new Intl.ListFormat('en');

/** What the nearest product has in the fields that differ; nothing where there is none. */
function hintOf(nearest: NearProduct | undefined): string {
  if (nearest === undefined) return '';
  const { product, differs } = nearest;
  return `; the nearest has ${list.format(differs.map((field) => describe(product, field)))}`;
}

function describe(product: ProductInstance, field: DifferingField): string {
  if (field !== 'srcLicenseOrderId') return `${field} ${product[field] ?? 'not set'}`;
  // The orders of a preview have no ids.
  const orderId = heldBy(product);
  return /^\d+$/.test(orderId) ? `srcLicenseOrderId ${orderId}` : 'the srcLicenseOrderId of an order of this batch';
}

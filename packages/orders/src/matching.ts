import type { Asset, ProductInstance } from '@lockstep/assets';
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
/** Products that are looked at for the nearest one: an asset may hold many thousands. */
const MAX_CANDIDATES = 200;

const productsByUri = new WeakMap<Asset, { indexed: number; byUri: Map<string, ProductInstance[]> }>();

/**
 * An asset's active products of a productUri, oldest first. The index is kept with the asset, whose list of products only
 * grows, so that thousands of orders which look for products on one asset do not each go through all of them.
 */
export function activeProducts(asset: Asset, productUri: string): ProductInstance[] {
  const index = productsByUri.get(asset) ?? { indexed: 0, byUri: new Map<string, ProductInstance[]>() };
  productsByUri.set(asset, index);
  for (; index.indexed < asset.products.length; index.indexed++) {
    const product = asset.products[index.indexed]!;
    const same = index.byUri.get(product.productUri);
    if (same === undefined) index.byUri.set(product.productUri, [product]);
    else same.push(product);
  }
  const active = (index.byUri.get(productUri) ?? []).filter(({ revoked }) => !revoked);
  index.byUri.set(productUri, active);
  return active;
}

/** What may come nearest to a product that was not found: some products of the same productUri, then some others. */
function candidatesFor(asset: Asset, { product }: Wanted, taken: ReadonlySet<ProductInstance>): ProductInstance[] {
  const isThere = (candidate: ProductInstance) => !candidate.revoked && !taken.has(candidate);
  const others = asset.products
    .values()
    .filter((candidate) => isThere(candidate) && candidate.productUri !== product.productUri);
  const same = activeProducts(asset, product.productUri).filter(isThere);
  return [...same.slice(0, MAX_CANDIDATES), ...others.take(MAX_CANDIDATES)];
}

/**
 * The fields in which a product instance is not the one that is looked for; none where it is (decisions 6.5). Mnemonic
 * matching is by productUri; strict matching by period and node count too, where absent equals absent.
 */
export function differences(instance: ProductInstance, { product, srcLicenseOrderId }: Wanted): DifferingField[] {
  const differs: DifferingField[] = [];
  if (instance.productUri !== product.productUri) differs.push('productUri');
  if (srcLicenseOrderId !== undefined && instance.licenseOrderId !== srcLicenseOrderId) {
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

  /** `taken`: what the order revokes already. */
  constructor(asset: Asset, wanted: Wanted, taken: ReadonlySet<ProductInstance>) {
    const nearest = candidatesFor(asset, wanted, taken)
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

function describe({ licenseOrderId, ...product }: ProductInstance, field: DifferingField): string {
  if (field !== 'srcLicenseOrderId') return `${field} ${product[field] ?? 'not set'}`;
  // The orders of a preview have no ids.
  return /^\d+$/.test(licenseOrderId)
    ? `srcLicenseOrderId ${licenseOrderId}`
    : 'the srcLicenseOrderId of an order of this batch';
}

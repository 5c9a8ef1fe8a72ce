import type { ProductInstance } from '@lockstep/assets';
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
  readonly #candidates: readonly ProductInstance[];
  readonly #wanted: Wanted;

  constructor(assetNum: string, candidates: readonly ProductInstance[], wanted: Wanted) {
    super('product_not_found', assetNum, wanted.product.productUri, hintOf(candidates, wanted));
    this.assetNum = assetNum;
    this.#candidates = candidates;
    this.#wanted = wanted;
  }

  /** The few candidates that come nearest: those of the product first, then those that differ in fewer fields. */
  nearest(): NearProduct[] {
    return this.#candidates
      .map((product) => ({ product, differs: differences(product, this.#wanted) }))
      .sort((a, b) => rankOf(a.differs) - rankOf(b.differs))
      .slice(0, MAX_NEAREST);
  }
}

function rankOf(differs: DifferingField[]): number {
  return (differs.includes('productUri') ? 10 : 0) + differs.length;
}

const list = new Intl.ListFormat('en');

/** What the nearest candidate has in the fields that differ; nothing where there is no candidate. */
function hintOf(candidates: readonly ProductInstance[], wanted: Wanted): string {
  let nearest: NearProduct | undefined;
  for (const product of candidates) {
    const differs = differences(product, wanted);
    if (nearest === undefined || rankOf(differs) < rankOf(nearest.differs)) nearest = { product, differs };
  }
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

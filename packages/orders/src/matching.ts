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

/** That no product instance of an asset matches. */
export class ProductNotFound extends Refusal {
  readonly assetNum: string;
  readonly #candidates: readonly ProductInstance[];
  readonly #wanted: Wanted;

  constructor(assetNum: string, candidates: readonly ProductInstance[], wanted: Wanted) {
    super('product_not_found', assetNum, wanted.product.productUri);
    this.assetNum = assetNum;
    this.#candidates = candidates;
    this.#wanted = wanted;
  }

  /** The few candidates that come nearest: those of the product first, then those that differ in fewer fields. */
  nearest(): NearProduct[] {
    const near = this.#candidates.map((product) => ({ product, differs: differences(product, this.#wanted) }));
    const rank = ({ differs }: NearProduct) => (differs.includes('productUri') ? 10 : 0) + differs.length;
    return near.sort((a, b) => rank(a) - rank(b)).slice(0, MAX_NEAREST);
  }
}

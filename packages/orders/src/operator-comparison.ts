import { heldBy, type ProductInstance } from '@lockstep/assets';
import type { ComparedPreview } from '@lockstep/contract/console';
import { type DifferingField, ProductNotFound, type Wanted } from './matching.ts';
import { isPreviewId } from './preview-ids.ts';

type Nearest = ComparedPreview['nearest'];
type Value = Nearest[number]['values'][number]['wanted'];

/**
 * Lists the products that come nearest to one that was not found, with both values of each field in which they differ.
 */
export function compareNearest(refusal: Error | null): Nearest {
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

/** Null for a source order that stands in the same preview: it has no id yet. */
function foundValue(product: ProductInstance, field: DifferingField): Value {
  if (field !== 'srcLicenseOrderId') return product[field];
  const orderId = heldBy(product);
  return isPreviewId(orderId) ? null : orderId;
}

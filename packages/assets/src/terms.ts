import type { ProductToBuy } from '@lockstep/contract';

/** The fields of a product that many orders share, not those of one license or customer, in the order of their JSON. */
const SHARED = [
  ...(['productUri', 'productName', 'gmsPid', 'appKey', 'productType', 'limitTimeDuration', 'trial'] as const),
  ...(['trialEndDate', 'timeUnit', 'timeUnitQuantity', 'timeDurationExpression', 'productFeatures'] as const),
];

/** The `fields` of product_terms. Rows of an earlier release may lack a field that this release knows. */
export type ProductTerms = Pick<ProductToBuy, 'productUri' | 'productName'> &
  Partial<Pick<ProductToBuy, (typeof SHARED)[number]>>;

/** Picks the shared fields of a product, whose JSON is stored. */
export const pickTerms = (product: ProductToBuy) =>
  Object.fromEntries(SHARED.map((name) => [name, product[name]])) as unknown as ProductTerms;

/**
 * Returns SQL for a column of a product's terms, for a query of product_instance. A subquery uses the key,
 * whatever PostgreSQL assumes about the size of the other tables.
 */
export function ofTerms(column: 'product_uri' | 'product_name' | 'fields'): string {
  return `(select terms.${column} from product_terms as terms where terms.id = terms_id)`;
}

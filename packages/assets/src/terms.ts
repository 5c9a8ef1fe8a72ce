import type { ProductToBuy } from '@lockstep/contract';

/** The `fields` of product_terms. Rows of an earlier release may lack a field that this release knows. */
export type ProductTerms = Pick<ProductToBuy, 'productUri' | 'productName'> & Partial<SharedFields>;

type SharedFields = ReturnType<typeof pickTerms>;

/**
 * Picks the fields of a product that many orders share, without those of one license or customer. Their JSON is stored,
 * in this order.
 */
export function pickTerms(product: ProductToBuy) {
  const { productUri, productName, gmsPid, appKey, productType, limitTimeDuration, trial, trialEndDate } = product;
  const { timeUnit, timeUnitQuantity, timeDurationExpression, productFeatures } = product;
  return {
    productUri,
    productName,
    gmsPid,
    appKey,
    productType,
    limitTimeDuration,
    trial,
    trialEndDate,
    timeUnit,
    timeUnitQuantity,
    timeDurationExpression,
    productFeatures,
  };
}

/**
 * Returns SQL for a column of a product's terms, for a query of product_instance. A subquery uses the key,
 * whatever PostgreSQL assumes about the size of the other tables.
 */
export function ofTerms(column: 'product_uri' | 'product_name' | 'fields'): string {
  return `(select terms.${column} from product_terms as terms where terms.id = terms_id)`;
}

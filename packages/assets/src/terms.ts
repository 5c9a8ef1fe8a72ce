import type { ProductToBuy } from '@lockstep/contract';

/** What rows of product_terms have as `fields`. Those of an earlier release may lack a field that this one knows. */
export type ProductTerms = Pick<ProductToBuy, 'productUri' | 'productName'> & Partial<SharedFields>;

type SharedFields = ReturnType<typeof pickTerms>;

/**
 * Picks the fields of a product that many orders share: all but those of one license or one customer. What is stored is
 * their JSON, in this order.
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
 * SQL for a column of a product's terms, within a query of product_instance. As a subquery it is always looked up by
 * the key, whatever PostgreSQL thinks of the size of the tables.
 */
export function ofTerms(column: 'product_uri' | 'product_name' | 'fields'): string {
  return `(select terms.${column} from product_terms as terms where terms.id = terms_id)`;
}

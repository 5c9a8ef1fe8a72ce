import type { ConsoleOrder } from '@lockstep/contract/console';

type Cause = NonNullable<ConsoleOrder['cause']>;

/** The causes of failed orders (rules 6.5), as filter options. */
export const ORDER_CAUSES = [
  'customer_not_found',
  'enterprise_mismatch',
  'source_order_not_found',
  'asset_owned_by_other_customer',
  'license_type_mismatch',
  'asset_not_found',
  'asset_not_in_source_order',
  'product_not_found',
  'asset_full',
  'order_too_large',
  'dates_reversed',
  'cancelled',
  'internal_error',
] as const satisfies readonly Cause[];

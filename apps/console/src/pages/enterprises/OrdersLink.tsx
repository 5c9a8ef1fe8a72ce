import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link to the orders of a customer, or to those that name an asset number. */
export function OrdersLink({
  filters,
  children,
}: {
  filters: { customerId: string } | { assetNum: string };
  children: ReactNode;
}) {
  const search: object = filters;
  return (
    <Link to="/orders" search={search}>
      {children}
    </Link>
  );
}

import type {} from './tables.ts';

/** What operators see of enterprises and customers: those of all channels. Only the console imports it. */
export { listCustomersOfAll } from './operator-customers.ts';
export { findEnterprise, listEnterprises } from './operator-enterprises.ts';
export { readOwners } from './operator-owners.ts';

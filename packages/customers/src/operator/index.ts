import type {} from '../tables.ts';

/** Enterprises and customers of all channels, for the console only. */
export { listCustomersOfAll } from './customers.ts';
export { findEnterprise, listEnterprises } from './enterprises.ts';
export { readOwners } from './names.ts';

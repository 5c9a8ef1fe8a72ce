import type {} from '../tables.ts';

/** What operators see of enterprises and customers: those of all channels. Only the console imports it. */
export { listCustomersOfAll } from './customers.ts';
export { findEnterprise, listEnterprises } from './enterprises.ts';
export { readOwners } from './names.ts';

import type {} from './tables.ts';

export { bindCustomer, queryCustomers } from './customers.ts';
export { createDemoCustomers, DEMO_ENTERPRISES } from './demo.ts';
export { createEnterprise, setSecurityMobile, updateCustomer } from './enterprises.ts';
export { ownerOf } from './lists.ts';
export { customersOf, selectCustomers } from './tenant.ts';

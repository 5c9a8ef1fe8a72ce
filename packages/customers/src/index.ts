import type {} from './tables.ts';

export { eraseContact, storeContacts } from './contacts.ts';
export { bindCustomer, queryCustomers } from './customers.ts';
export { createDemoCustomers, DEMO_ENTERPRISES } from './demo.ts';
export { createEnterprise, setSecurityMobile, updateCustomer } from './enterprises.ts';
export { listCustomers, ownerOf } from './lists.ts';
export { customersOf, enterprisesOf, newestCustomers, selectCustomers } from './tenant.ts';

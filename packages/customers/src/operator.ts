// What operators read across applications. Only the console and packages/operators may import it.

import type {} from './tables.ts';

export {
  findEnterprise,
  listEnterprises,
  readOwners,
  searchChannels,
  searchCustomers,
  searchEnterprises,
} from './lists.ts';

// What operators read and change across applications. Only the console and packages/operators may import it.

import type {} from './tables.ts';

export {
  bindApplication,
  findApplication,
  listApplicationPage,
  readApplications,
  readOwnTokens,
  searchApplications,
  setNotices,
} from './applications.ts';
export { readRefusals } from './refusals.ts';

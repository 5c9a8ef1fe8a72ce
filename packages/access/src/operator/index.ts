import type {} from '../tables.ts';

export {
  bindApplication,
  countLiveTokens,
  findApplication,
  listApplicationPage,
  lockApplication,
  readApplications,
} from './applications.ts';

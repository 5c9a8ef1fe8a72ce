import type {} from './tables.ts';

export {
  bindApplication,
  changeStatus,
  countLiveTokens,
  findApplication,
  listApplicationPage,
  lockApplication,
} from './operator-applications.ts';

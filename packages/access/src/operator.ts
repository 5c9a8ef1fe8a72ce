import type {} from './tables.ts';

export { readApplications } from './operator-application-names.ts';
export {
  bindApplication,
  countLiveTokens,
  findApplication,
  listApplicationPage,
  lockApplication,
} from './operator-applications.ts';

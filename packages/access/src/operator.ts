/** What operators see of applications. Only the console imports it. */
export { readApplications } from './operator-application-names.ts';

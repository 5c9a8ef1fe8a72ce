import { z } from 'zod';
import { AuditPage } from '../members/audit.ts';
import {
  EditEmployee,
  EmployeePage,
  EmployeeParams,
  EnterpriseParams,
  ListEmployees,
  OptionalPageQuery,
  PageQuery,
  ResetPassword,
} from '../members/employees.ts';
import { HoldingPage, ListHoldings } from '../members/holding-history.ts';
import {
  AllConfiguredEmployees,
  AssetContents,
  AssetParams,
  BorrowedLocks,
  ConfigureAssets,
  ConfigureEmployees,
  ConfigureEmployeesQuery,
  EnterpriseAssets,
  HolderParams,
  LendAssets,
  NotConfiguredEmployees,
  PartlyConfiguredEmployees,
} from '../members/holdings.ts';
import {
  AddEmployees,
  AllAddedEmployees,
  FailedEmployees,
  MAX_EMPLOYEES_PER_CALL,
  PartlyAddedEmployees,
} from '../members/new-employees.ts';
import { Seats } from '../members/seats.ts';
import { answers, doneWithNullAnswers, ofModule, refusedWith } from './operation.ts';

/** The member center: M1 to M10, and the audit log (rules 8). */
export const memberOperations = ofModule('member', {
  addEmployees: {
    name: 'M1',
    params: EnterpriseParams,
    body: AddEmployees,
    answers: {
      200: z
        .union([AllAddedEmployees, PartlyAddedEmployees])
        .describe('All employees were added, or only some: then the code is 60027.'),
      299: refusedWith(FailedEmployees, 'With `data`, no employee could be added.'),
    },
    summary: 'Add employees',
    description:
      `Adds 1 to ${MAX_EMPLOYEES_PER_CALL} employees, each on its own. If only some can be added, the ` +
      'answer is HTTP 200 with the code 60027; if none can, HTTP 299 with the code of the first failure. ' +
      'The whole call is refused if `userList` is empty or too long, or if a value has the wrong JSON type.',
  },
  editEmployee: {
    name: 'M2',
    params: EmployeeParams,
    body: EditEmployee,
    answers: doneWithNullAnswers,
    summary: 'Edit an employee',
    description:
      'Changes the name, department, remark and security mobile number. `userName` must be the account of the ' +
      'employee, with or without the enterprise code; it never changes. An optional field stays as it is if it is ' +
      'absent or empty; `null` clears it. If nothing changes, neither `updateTime` nor the audit log does.',
  },
  resetPassword: {
    name: 'M3',
    params: EmployeeParams,
    body: ResetPassword,
    answers: doneWithNullAnswers,
    summary: 'Reset a password',
    description:
      'Sets a new password, logs the employee out everywhere and ends a lockout. Administrators may reset ' +
      'their own password; they must then log in again.',
  },
  deleteEmployee: {
    name: 'M4',
    params: EmployeeParams,
    answers: doneWithNullAnswers,
    summary: 'Delete an employee',
    description:
      'Deletes an employee, releases their assets and revokes their user tokens. The account name is then ' +
      'free for another employee. The last administrator of an enterprise cannot be deleted.',
  },
  listEmployees: {
    name: 'M5',
    params: EnterpriseParams,
    query: ListEmployees,
    answers: answers(EmployeePage),
    summary: 'List employees',
    description:
      'Lists the employees, including administrators, newest first. Continue with `cursor` until `nextCursor` is ' +
      'null, or with `pageNum` while `hasNextPage` is true.',
  },
  readAudit: {
    params: EnterpriseParams,
    query: PageQuery,
    answers: answers(AuditPage),
    summary: 'Read the audit log',
    description: 'Lists all changes in the member center of the enterprise, newest first.',
  },
  listEnterpriseAssets: {
    name: 'M6',
    params: EnterpriseParams,
    query: OptionalPageQuery,
    answers: answers(EnterpriseAssets),
    summary: 'List asset numbers',
    description:
      "Lists all active assets of the enterprise's customers except borrowed locks, oldest first. M7 and " +
      'M10 need their `assetId`.',
  },
  readAssetContents: {
    name: 'M7',
    params: AssetParams,
    answers: answers(AssetContents),
    summary: 'Get the contents of an asset',
    description:
      'Returns the active products and merchandise of an asset or borrowed lock, in the order of purchase. ' +
      'A lent asset is empty: its contents appear on the lock.',
  },
  listBorrowedLocks: {
    name: 'M8',
    params: EnterpriseParams,
    query: OptionalPageQuery,
    answers: answers(BorrowedLocks),
    summary: 'List borrowed locks',
    description:
      'Lists the active borrowed locks of the enterprise, oldest first. If assets are lent into a lock, ' +
      '`borrowedFlag` is true and `cloudAccountGlobalId` is the employee whose assets they are.',
  },
  listHoldings: {
    params: EnterpriseParams,
    query: ListHoldings,
    answers: answers(HoldingPage),
    summary: 'List assignments and loans',
    description:
      'Lists who has or had which asset, and which assets are or were lent into borrowed locks: when each assignment and ' +
      'loan began and ended, and which administrator or order ended it. Newest first; deleted employees keep their ' +
      'names. Continue with `cursor` until `nextCursor` is null.',
  },
  getSeats: {
    params: EnterpriseParams,
    answers: answers(Seats),
    summary: 'Count seats',
    description:
      'Counts the active assets of the enterprise except borrowed locks: by product, by license type and in total, how ' +
      'many are assigned, lent, free, expired or about to end. An asset counts once for a product, however often it ' +
      'has it. The dates of a product are bounded by those of its asset.',
  },
  configureAssets: {
    name: 'M9',
    params: HolderParams,
    body: ConfigureAssets,
    answers: doneWithNullAnswers,
    summary: 'Configure assets',
    description:
      'Unassigns assets of an employee, then assigns others. If one of them fails, nothing changes. ' +
      'Unassigning an asset also ends its loan.',
  },
  configureEmployees: {
    params: EnterpriseParams,
    query: ConfigureEmployeesQuery,
    body: ConfigureEmployees,
    answers: {
      200: z
        .union([AllConfiguredEmployees, PartlyConfiguredEmployees])
        .describe('All entries were applied, or only some: then the code is 60027.'),
      299: refusedWith(NotConfiguredEmployees, 'With `data`, no entry could be applied.'),
    },
    summary: 'Configure assets of many employees',
    description:
      'Does what M9 does for up to 1,000 employees: entries are applied in the order sent, each as a whole or not at ' +
      'all, and each sees those before it. If only some can be applied, the answer is HTTP 200 with the code 60027; ' +
      'if none can, HTTP 299 with the code of the first failure. To move an asset, unassign it in an earlier entry. ' +
      'The whole call is refused if its shape is wrong.',
  },
  lendAssets: {
    name: 'M10',
    params: HolderParams,
    body: LendAssets,
    answers: doneWithNullAnswers,
    summary: 'Lend assets',
    description:
      'Lends assets of an employee into a borrowed lock: all of them, or none if one cannot be. Repeating ' +
      'the call renews loans that ended in between. M9 or M4 ends a loan.',
  },
});

import { z } from 'zod';
import { AuditPage } from '../members/audit.ts';
import {
  EditEmployee,
  EmployeePage,
  EmployeeParams,
  EnterpriseParams,
  ListEmployees,
  ResetPassword,
} from '../members/employees.ts';
import {
  AssetContents,
  AssetParams,
  BorrowedLock,
  ConfigureAssets,
  EnterpriseAsset,
  HolderParams,
  LendAssets,
} from '../members/holdings.ts';
import {
  AddEmployees,
  AllAddedEmployees,
  FailedEmployees,
  MAX_EMPLOYEES_PER_CALL,
  PartlyAddedEmployees,
} from '../members/new-employees.ts';
import { PageQuery } from '../members/page.ts';
import { routes } from '../routes.ts';
import { answers, doneWithNullAnswers, ofModule, refusedWith } from './operation.ts';

/** The member center: M1 to M10, and the audit record (rules 8). */
export const memberOperations = ofModule('member', {
  addEmployees: {
    name: 'M1',
    ...routes.addEmployees,
    params: EnterpriseParams,
    body: AddEmployees,
    answers: {
      200: z
        .union([AllAddedEmployees, PartlyAddedEmployees])
        .describe('All were added, or some: then the code is 60027.'),
      299: refusedWith(FailedEmployees, 'With data: nobody could be added.'),
    },
    summary: 'add employees',
    description:
      `Adds 1 to ${MAX_EMPLOYEES_PER_CALL} employees. Each is added or fails for itself: where only some can be added, the ` +
      'answer is HTTP 200 with code 60027; where nobody can, HTTP 299 with the code of the first who ' +
      `failed. The call is refused as a whole when it has no employees or more than ${MAX_EMPLOYEES_PER_CALL}, or anywhere a ` +
      'value of a wrong JSON type.',
  },
  editEmployee: {
    name: 'M2',
    ...routes.editEmployee,
    params: EmployeeParams,
    body: EditEmployee,
    answers: doneWithNullAnswers,
    summary: 'edit an employee',
    description:
      'Changes name, department, remark and security mobile. `userName`, the short one or the full one (`mei@demoworks`), must be the ' +
      "employee's own: an account name never changes. An optional field that is absent or empty stays " +
      'as it is, `null` clears it. Where nothing changes, `updateTime` and the audit record stay as ' +
      'they are.',
  },
  resetPassword: {
    name: 'M3',
    ...routes.resetPassword,
    params: EmployeeParams,
    body: ResetPassword,
    answers: doneWithNullAnswers,
    summary: 'reset a password',
    description:
      'Gives an employee a new password. Whoever is logged in as that employee is logged ' +
      'out everywhere, and a lock-out ends. An administrator may reset their own password, and then ' +
      'has to log in again.',
  },
  deleteEmployee: {
    name: 'M4',
    ...routes.deleteEmployee,
    params: EmployeeParams,
    answers: doneWithNullAnswers,
    summary: 'delete an employee',
    description:
      "Deletes an employee and releases what was held. The employee's user tokens end, and M5 shows " +
      'the employee no more. The account name may be given again, to somebody who gets another ' +
      '`memberGlobalId`. The last administrator of an enterprise cannot be deleted.',
  },
  listEmployees: {
    name: 'M5',
    ...routes.listEmployees,
    params: EnterpriseParams,
    query: ListEmployees,
    answers: answers(EmployeePage),
    summary: 'list employees',
    description:
      'Lists the employees, administrators too, newest first. Go on while `hasNextPage`: behind the ' +
      'last page `isLastPage` is false, and `firstPage` and `lastPage` are the ends of ' +
      "`navigatepageNums`, as in Java's PageHelper. A page behind the last is empty. Where employees " +
      'are added while you turn pages, one may come twice.',
  },
  readAudit: {
    ...routes.readAudit,
    params: EnterpriseParams,
    query: PageQuery,
    answers: answers(AuditPage),
    summary: 'The audit record',
    description:
      'Lists every change that was made in the member center of the enterprise, newest first, in pages ' +
      'like those of M5. There are no filters.',
  },
  listEnterpriseAssets: {
    name: 'M6',
    ...routes.listEnterpriseAssets,
    params: EnterpriseParams,
    answers: answers(z.array(EnterpriseAsset).describe('The assets, oldest first.')),
    summary: 'list asset numbers',
    description:
      "Lists all active assets of the enterprise's customers that are not borrowed locks, oldest first " +
      'and in one answer, with `assetId`, which M7 and M10 want.',
  },
  readAssetContents: {
    name: 'M7',
    ...routes.readAssetContents,
    params: AssetParams,
    answers: answers(AssetContents),
    summary: 'products and merchandise under an asset',
    description:
      'Shows what is active on an asset or a borrowed lock, in the order in which it was bought: ' +
      'products, and merchandise with what is nested in it. Of a lent asset there is nothing: the lock ' +
      'has its own and that of all assets that are lent into it.',
  },
  listBorrowedLocks: {
    name: 'M8',
    ...routes.listBorrowedLocks,
    params: EnterpriseParams,
    answers: answers(z.array(BorrowedLock).describe('The borrowed locks, oldest first.')),
    summary: 'list borrowed locks',
    description:
      'Lists the active borrowed locks of the enterprise, oldest first. Where assets are lent into ' +
      'one, `borrowedFlag` is true and `cloudAccountGlobalId` the employee who holds them.',
  },
  configureAssets: {
    name: 'M9',
    ...routes.configureAssets,
    params: HolderParams,
    body: ConfigureAssets,
    answers: doneWithNullAnswers,
    summary: 'configure assets',
    description:
      'Withdraws asset numbers from an employee, then assigns others: all of it or, at the first ' +
      'fault, nothing. What is withdrawn is not lent any more.',
  },
  lendAssets: {
    name: 'M10',
    ...routes.lendAssets,
    params: HolderParams,
    body: LendAssets,
    answers: doneWithNullAnswers,
    summary: 'lend assets',
    description:
      'Lends assets that an employee holds into a borrowed lock: all of them or, at the first fault, ' +
      'none. The same call again succeeds and changes nothing. M9 or M4 ends a lending.',
  },
});

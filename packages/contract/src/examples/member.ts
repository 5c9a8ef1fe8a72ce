import type { MemberOperationId } from '../operations/index.ts';
import { BORROWED_LOCK, CLOUD_LICENSE, KEPT_LOCK, KEPT_LOCK_ID } from './batches.ts';
import { CLOUD_EMPLOYEE, type ExamplesOf } from './operation.ts';

/** What M2 makes of the cloud employee. M5 asks for the department. */
export const DEPARTMENT = 7;
const SEAT = { userName: CLOUD_EMPLOYEE.userName, name: 'Cloud seat north' };

const password = 'correct horse battery';
const KIM = { userName: 'kim', name: 'Kim Lee', departmentId: DEPARTMENT, password };
const WANG = { userName: 'wangfang', name: '王芳', remark: 'Site yard', passwordMobile: '+8613800000002', password };
const OMAR = { userName: 'omar', name: 'Omar Haddad', password };

/** The member center. */
export const memberExamples: { [Id in MemberOperationId]: ExamplesOf<Id> } = {
  addEmployees: {
    bodies: {
      team: { summary: 'Two employees', value: { userList: [KIM, WANG] } },
      partly: { summary: 'Two employees, one of whom exists', value: { userList: [OMAR, KIM] } },
    },
    answers: { team: 'Both were added', partly: 'One was added, one was not: code 60027' },
  },
  editEmployee: {
    bodies: {
      seat: {
        summary: 'The cloud employee of the demo enterprise',
        value: {
          ...SEAT,
          departmentId: DEPARTMENT,
          passwordMobile: '13800000003',
          remark: 'Shared by the night shift',
        },
      },
      no_remark: {
        summary: 'Clear the remark and keep the other fields',
        value: { ...SEAT, remark: null },
      },
    },
    answers: { seat: 'Success', no_remark: 'Success' },
  },
  resetPassword: {
    bodies: { new_password: { summary: 'A new password', value: { password: 'battery staple 7' } } },
    answers: { new_password: 'Success' },
  },
  deleteEmployee: { answers: { deleted: 'Success' } },
  listEmployees: { answers: { seat: 'The employee that matches keyword and department, after M2, M9 and M10' } },
  listEnterpriseAssets: { answers: { two: 'An assigned and lent lock, and an unassigned license' } },
  readAssetContents: { answers: { lock: 'A lock with nested merchandise, before M10 lends it' } },
  listBorrowedLocks: { answers: { lent: 'The borrowed lock after M10' } },
  listHoldings: { answers: { lock: 'A lock that is assigned and lent' } },
  getSeats: { answers: { two: 'An assigned and lent lock with three products, and a free license' } },
  configureAssets: {
    bodies: {
      assign: {
        summary: 'The lock of the batch new_buy, and the license of the batch sync',
        value: { deleteAssets: [], addAssets: [KEPT_LOCK, CLOUD_LICENSE] },
      },
      withdraw: { summary: 'Unassign the license', value: { deleteAssets: [CLOUD_LICENSE], addAssets: [] } },
    },
    answers: { assign: 'Success', withdraw: 'Success' },
  },
  configureEmployees: {
    bodies: {
      partly: {
        summary: 'Assign the license, and a number that the enterprise does not have',
        value: {
          privileges: [
            { memberGlobalId: CLOUD_EMPLOYEE.globalId, deleteAssets: [], addAssets: [CLOUD_LICENSE] },
            { memberGlobalId: CLOUD_EMPLOYEE.globalId, deleteAssets: [], addAssets: ['8100000404'] },
          ],
        },
      },
      withdraw: {
        summary: 'Withdraw the license again',
        value: {
          privileges: [{ memberGlobalId: CLOUD_EMPLOYEE.globalId, deleteAssets: [CLOUD_LICENSE], addAssets: [] }],
        },
      },
    },
    answers: { partly: 'One entry was applied, one was not: code 60027', withdraw: 'All were applied' },
  },
  lendAssets: {
    bodies: {
      lock: {
        summary: 'The assigned lock, into the borrowed lock',
        value: { borrowedUsbKey: BORROWED_LOCK, assetIDs: [KEPT_LOCK_ID] },
      },
    },
    answers: { lock: 'Success' },
  },
  readAudit: { answers: { all: 'The changes by the examples of M1 to M10' } },
};

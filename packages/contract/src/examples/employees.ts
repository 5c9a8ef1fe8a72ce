import { buildMessage } from '../causes.ts';
import type { Employee } from '../employees.ts';
import { failure, success } from '../envelope.ts';
import type { NewEmployee } from '../new-employees.ts';
import type { Page } from '../page.ts';
import { BORROWED_LOCK, KEPT_LOCK } from './batches.ts';
import { ADMIN, CLOUD_EMPLOYEE, DEMO_WORKS, ENTERPRISE_CODE } from './demo.ts';
import { type ExamplesOf, refusedMember, type Sent, TIME, type Written } from './operation.ts';

/** What M2 makes of the cloud employee. M5 asks for the department. */
export const DEPARTMENT = 7;
export const SEAT = { name: 'Cloud seat north', departmentId: DEPARTMENT, passwordMobile: '13800000003' };
export const SEAT_REMARK = 'Shared by the night shift';

/** The employees that M1's example adds, without passwords. */
export const KIM = { userName: 'kim', name: 'Kim Lee', departmentId: DEPARTMENT };
export const WANG = { userName: 'wangfang', name: '王芳', remark: 'Site yard', passwordMobile: '+8613800000002' };
export const OMAR = { userName: 'omar', name: 'Omar Haddad' };
const PASSWORD = 'correct horse battery';

const employee = (globalId: string, told: Sent<Omit<NewEmployee, 'password'>>): Written<Employee> => ({
  id: globalId,
  userId: globalId,
  globalId,
  enterpriseId: DEMO_WORKS.enterpriseGlobalId,
  departmentId: told.departmentId ?? null,
  departmentName: null,
  userName: `${told.userName}@${ENTERPRISE_CODE}`,
  name: told.name,
  remark: told.remark ?? null,
  deleted: false,
  updateTime: TIME,
  createTime: TIME,
});

const taken = (index: number) => ({
  userName: KIM.userName,
  message: buildMessage('account_taken', `userList[${index}].userName`),
});

export const addEmployees: ExamplesOf<'addEmployees'> = {
  bodies: {
    team: {
      summary: 'Two employees',
      value: {
        userList: [
          { ...KIM, password: PASSWORD },
          { ...WANG, password: PASSWORD },
        ],
      },
    },
    partly: {
      summary: 'Two more, one of whom is there already',
      value: {
        userList: [
          { ...OMAR, password: PASSWORD },
          { ...KIM, password: PASSWORD },
        ],
      },
    },
  },
  answers: {
    200: {
      team: {
        summary: 'Both were added',
        value: success({ succeeded: [employee('100003', KIM), employee('100004', WANG)], failed: [] }),
      },
      partly: {
        summary: 'One was added, one was not: code 60027',
        value: {
          ...failure('some_employees_failed', 'member', buildMessage('some_employees_failed', 1, 2)),
          code: '60027',
          data: { succeeded: [employee('100005', OMAR)], failed: [taken(1)] },
        },
      },
    },
    299: {
      ...refusedMember('The list is empty', 'employee_list_empty', 'userList'),
      account_taken: {
        summary: 'Nobody was added: the code of the first failure, and what each failed for',
        value: {
          ...failure('account_taken', 'member', taken(0).message),
          data: { succeeded: [], failed: [taken(0)] },
        },
      },
    },
  },
};

export const editEmployee: ExamplesOf<'editEmployee'> = {
  bodies: {
    seat: {
      summary: 'The cloud employee of the demo enterprise',
      value: { userName: CLOUD_EMPLOYEE.userName, ...SEAT, remark: SEAT_REMARK },
    },
    no_remark: {
      summary: 'The same, without the remark: null clears it, and what is absent stays',
      value: { userName: CLOUD_EMPLOYEE.userName, name: SEAT.name, remark: null },
    },
  },
  answers: {
    200: {
      seat: { summary: 'Done', value: success(null) },
      no_remark: { summary: 'Done', value: success(null) },
    },
    299: refusedMember('The account name cannot be changed', 'account_mismatch', ADMIN.globalId),
  },
};

export const resetPassword: ExamplesOf<'resetPassword'> = {
  bodies: { new_password: { summary: 'A new password', value: { password: 'battery staple 7' } } },
  answers: {
    200: { new_password: { summary: 'Done', value: success(null) } },
    299: refusedMember('The password is too short', 'password_length', 'password'),
  },
};

export const deleteEmployee: ExamplesOf<'deleteEmployee'> = {
  answers: {
    200: { deleted: { summary: 'Done', value: success(null) } },
    299: refusedMember('The last administrator stays', 'last_administrator'),
  },
};

/** A page that holds everything there is. */
export function wholePage<Item>(list: Item[]): Page<Item> {
  return {
    pageNum: 1,
    pageSize: 20,
    size: list.length,
    orderBy: null,
    startRow: 1,
    endRow: list.length,
    total: list.length,
    pages: 1,
    list,
    firstPage: 1,
    prePage: 0,
    nextPage: 0,
    lastPage: 1,
    isFirstPage: true,
    isLastPage: true,
    hasPreviousPage: false,
    hasNextPage: false,
    navigatePages: 8,
    navigatepageNums: [1],
  };
}

export const listEmployees: ExamplesOf<'listEmployees'> = {
  answers: {
    200: {
      seat: {
        summary: 'The one whom the keyword and the department find, after M2, M9 and M10',
        value: success(
          wholePage([
            {
              ...employee(CLOUD_EMPLOYEE.globalId, { ...CLOUD_EMPLOYEE, ...SEAT }),
              passwordMobile: SEAT.passwordMobile,
              assetNums: [KEPT_LOCK],
              borrowNum: BORROWED_LOCK,
              onlineFlag: false,
              boundUserInfo: null,
            },
          ]),
        ),
      },
    },
    299: refusedMember('A parameter is wrong', 'field_invalid', 'pageSize', 'must be a whole number from 1 to 500'),
  },
};

import type { Employee } from '@lockstep/contract';
import { numberOf } from '@lockstep/platform';
import type { EmployeeRow } from './scope.ts';

/** The account that an employee logs in with (decisions 5). */
export function accountOf(row: Pick<EmployeeRow, 'user_name' | 'code'>): string {
  return `${row.user_name}@${row.code}`;
}

/** What is recorded of an employee who is added or deleted. */
export function fieldsOf(row: Omit<EmployeeRow, 'code'>) {
  return {
    userName: row.user_name,
    name: row.name,
    departmentId: numberOf(row.department_id),
    remark: row.remark,
    passwordMobile: row.password_mobile,
  };
}

/** interface.md, Employee. */
export function employeeOf(row: EmployeeRow): Employee {
  return {
    id: row.id,
    userId: row.id,
    globalId: row.id,
    enterpriseId: row.enterprise_id,
    departmentId: numberOf(row.department_id),
    departmentName: null,
    userName: accountOf(row),
    name: row.name,
    remark: row.remark,
    deleted: row.deleted_time !== null,
    updateTime: row.updated_time.getTime(),
    createTime: row.created_time.getTime(),
  };
}

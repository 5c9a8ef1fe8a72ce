import type { Employee } from '@lockstep/contract';
import { parseBigint } from '@lockstep/platform';
import type { EmployeeRow } from '../tenant.ts';

/** Returns the account name that an employee logs in with (rules 5). */
export function accountOf(row: Pick<EmployeeRow, 'user_name' | 'code'>): string {
  return `${row.user_name}@${row.code}`;
}

/** Returns the fields of an employee that audit entries show. */
export function recordedFields(row: Omit<EmployeeRow, 'code'>) {
  return {
    userName: row.user_name,
    name: row.name,
    departmentId: parseBigint(row.department_id),
    remark: row.remark,
    passwordMobile: row.password_mobile,
  };
}

/** Returns an employee as clients see it (interface Employee). */
export function buildEmployee(row: EmployeeRow): Employee {
  return {
    id: row.id,
    userId: row.id,
    globalId: row.id,
    enterpriseId: row.enterprise_id,
    departmentId: parseBigint(row.department_id),
    departmentName: null,
    userName: accountOf(row),
    name: row.name,
    remark: row.remark,
    deleted: row.deleted_time !== null,
    updateTime: row.updated_time.getTime(),
    createTime: row.created_time.getTime(),
  };
}

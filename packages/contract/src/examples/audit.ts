import { type AuditEntry, OPERATOR_ID } from '../audit.ts';
import { success } from '../envelope.ts';
import { BORROWED_LOCK, CLOUD_LICENCE, KEPT_LOCK } from './batches.ts';
import { ADMIN, CLOUD_EMPLOYEE } from './demo.ts';
import { KIM, OMAR, SEAT, SEAT_REMARK, WANG, wholePage } from './employees.ts';
import { type ExamplesOf, refusedMember, TIME, type Written } from './operation.ts';

const LENT = [{ assetNum: KEPT_LOCK, borrowedUsbKey: BORROWED_LOCK }];
const UNTOLD = { departmentId: null, remark: null, passwordMobile: null };

type Entry = Written<AuditEntry>;
type Change = Pick<Entry, 'action' | 'detail'> & Partial<Entry>;

const changed = (action: Entry['action'], before: Entry['detail']['before'], after: typeof before): Change => ({
  action,
  detail: { before, after },
});
const added = (targetGlobalId: string, told: object): Change => ({
  ...changed('employee_added', null, { ...UNTOLD, ...told }),
  targetGlobalId,
});

/** What the examples of M1 to M10 change, in their order; before them npm start gave the administrator a password. */
const CHANGES: Change[] = [
  {
    ...changed('password_reset', null, null),
    actorGlobalId: OPERATOR_ID,
    targetGlobalId: ADMIN.globalId,
    requestId: 'operator-6ad9fd0f-3e2c-4d5c-9a51-7c0e3f6a8b21',
  },
  added('100003', KIM),
  added('100004', WANG),
  added('100005', OMAR),
  changed(
    'employee_edited',
    { name: 'Cloud employee', departmentId: null, remark: null, passwordMobile: null },
    { ...SEAT, remark: SEAT_REMARK },
  ),
  changed('employee_edited', { remark: SEAT_REMARK }, { remark: null }),
  changed('password_reset', null, null),
  changed('assets_configured', { assetNums: [], lent: [] }, { assetNums: [KEPT_LOCK, CLOUD_LICENCE], lent: [] }),
  changed('assets_configured', { assetNums: [CLOUD_LICENCE], lent: [] }, { assetNums: [], lent: [] }),
  changed('assets_lent', { lent: [] }, { lent: LENT }),
  changed(
    'employee_deleted',
    { userName: CLOUD_EMPLOYEE.userName, ...SEAT, remark: null, assetNums: [KEPT_LOCK], lent: LENT },
    null,
  ),
];

const entries = CHANGES.map(
  (change, index): Entry => ({
    id: String(index + 1),
    time: TIME,
    actorGlobalId: ADMIN.globalId,
    targetGlobalId: CLOUD_EMPLOYEE.globalId,
    requestId: '0b6f1f0e-8a4e-4c55-9f0e-2d3b7c1a9e64',
    ...change,
  }),
);

export const readAudit: ExamplesOf<'readAudit'> = {
  answers: {
    200: { all: { summary: 'What the examples of M1 to M10 change', value: success(wholePage(entries.toReversed())) } },
    299: refusedMember('The enterprise is not that of the user', 'not_administrator', '1002'),
  },
};

import { randomUUID } from 'node:crypto';
import { PasswordHasher } from '@lockstep/access';
import type { AuditEntry } from '@lockstep/contract';
import { createAdministrator, setPassword } from '@lockstep/members';
import { describe, expect, it } from 'vitest';
import { type Answer, dataOf, untilServed } from '../harness/api.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { askUserToken } from '../harness/oauth.ts';
import type { Sent } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** The audit log of the member center: who changed what (rules 8). */

const { stack } = await testStack({ worker: false });
const center = await openLicensed();

/** Every password that this file sets, so that a test can search for them. */
const PASSWORDS = { first: 'correct horse', second: 'battery staple', third: 'Tr0ub4dor&3' };
const passwords = new PasswordHasher();

/** Opens an enterprise without a limit of employees. */
async function openLicensed(): Promise<MemberCenter> {
  const opened = await MemberCenter.open(stack);
  await opened.buy(1, { licenseType: 'cloud_customer' });
  return opened;
}

type Change = Pick<AuditEntry, 'action'> & AuditEntry['detail'] & { targetGlobalId: string };

/** Makes a call with its own request ID. Expects exactly these entries of the administrator's, newest first. */
async function expectRecorded(
  call: (options: { headers: Record<string, string> }) => Promise<Answer>,
  changes: Change[] | ((answer: Answer) => Change[]),
): Promise<void> {
  const before = await center.audit();
  const requestId = `audit-${randomUUID()}`;
  const answer = await call({ headers: { 'x-request-id': requestId } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-request-id')).toBe(requestId);
  const changed = typeof changes === 'function' ? changes(answer) : changes;
  const entries = changed.map(({ action, targetGlobalId, before, after }) => ({
    id: expect.stringMatching(/^[1-9]\d*$/),
    time: expect.any(Number),
    actorGlobalId: center.adminId,
    requestId,
    action,
    targetGlobalId,
    detail: { before, after },
  }));
  expect(await center.audit()).toEqual([...entries, ...before]);
}

/** Adds an employee for one test. */
async function addOne(fields: Sent = {}): Promise<{ globalId: string; userName: string }> {
  const [employee] = await center.add(newEmployee({ password: PASSWORDS.first, ...fields }));
  return { globalId: employee!.globalId, userName: employee!.userName.split('@')[0]! };
}

describe('the audit log has entries of', () => {
  it('every employee whom M1 adds, and none who fails', async () => {
    const lee = {
      userName: 'lee',
      name: '李',
      departmentId: Number.MAX_SAFE_INTEGER,
      remark: 'night "shift"',
      passwordMobile: '+14155550123',
    };
    const users = [
      newEmployee({ userName: 'kim', name: 'Kim', password: PASSWORDS.first }),
      newEmployee({ userName: 'admin', password: PASSWORDS.first }),
      newEmployee({ ...lee, password: PASSWORDS.second, remark: ' night "shift" ' }),
    ];
    const kim = { userName: 'kim', name: 'Kim', departmentId: null, remark: null, passwordMobile: null };
    const action = 'employee_added';
    await expectRecorded(
      (options) => center.submitAdd(users, options),
      ({ body }) => [
        { action, targetGlobalId: body.data.succeeded[1].globalId, before: null, after: lee },
        { action, targetGlobalId: body.data.succeeded[0].globalId, before: null, after: kim },
      ],
    );
  });

  it('the changes of M2, with only the fields that differ', async () => {
    const { globalId, userName } = await addOne({ remark: 'night', departmentId: 7, passwordMobile: '13800000000' });
    const before = { name: 'Kim', departmentId: 7, passwordMobile: '13800000000' };
    const after = { name: 'Pat', departmentId: null, passwordMobile: '13900000000' };
    await expectRecorded(
      (options) => center.edit(globalId, { userName, remark: 'night', ...after }, options),
      [{ action: 'employee_edited', targetGlobalId: globalId, before, after }],
    );
  });

  it('passwords that M3 sets, without the passwords', async () => {
    const { globalId } = await addOne();
    await expectRecorded(
      (options) => center.resetPassword(globalId, PASSWORDS.third, options),
      [{ action: 'password_reset', targetGlobalId: globalId, before: null, after: null }],
    );
  });

  it('employees whom M4 deletes, with their assigned and lent assets', async () => {
    const { globalId, userName } = await addOne({ name: 'Leaver' });
    const [held, lent] = byNumber(await center.buy(2));
    const [lock] = await center.buyLocks();
    await center.assign(globalId, held.assetNum, lent.assetNum);
    dataOf(await center.lend(globalId, lock!.assetNum, [lent.assetId]));
    const before = {
      userName,
      name: 'Leaver',
      departmentId: null,
      remark: null,
      passwordMobile: null,
      assetNums: [held.assetNum, lent.assetNum],
      lent: [{ assetNum: lent.assetNum, borrowedUsbKey: lock!.assetNum }],
    };
    await expectRecorded(
      (options) => center.delete(globalId, options),
      [{ action: 'employee_deleted', targetGlobalId: globalId, before, after: null }],
    );
  });

  it('the assignments and withdrawals of M9, in the order sent, and the loans that they end', async () => {
    const { globalId: targetGlobalId } = await addOne();
    const assets = byNumber(await center.buy(3));
    const [first, second, third] = assets.map(({ assetNum }) => assetNum) as [string, string, string];
    const [lock] = await center.buyLocks();
    const action = 'assets_configured';
    const nothing = { assetNums: [], lent: [] };
    await expectRecorded(
      (options) => center.configure(targetGlobalId, [], [second, first], options),
      [{ action, targetGlobalId, before: nothing, after: { ...nothing, assetNums: [second, first] } }],
    );

    dataOf(await center.lend(targetGlobalId, lock!.assetNum, [assets[1].assetId]));
    const before = { assetNums: [second], lent: [{ assetNum: second, borrowedUsbKey: lock!.assetNum }] };
    await expectRecorded(
      (options) => center.configure(targetGlobalId, [second], [third, second], options),
      [{ action, targetGlobalId, before, after: { assetNums: [third, second], lent: [] } }],
    );
  });

  it('the loans of M10, and only new ones', async () => {
    const { globalId: targetGlobalId } = await addOne();
    const [first, second] = byNumber(await center.buy(2));
    const [lock] = await center.buyLocks();
    await center.assign(targetGlobalId, first.assetNum, second.assetNum);
    const borrowedUsbKey = lock!.assetNum;
    const expectLent = (assetIds: string[], assetNum: string) => {
      const change = { before: { lent: [] }, after: { lent: [{ assetNum, borrowedUsbKey }] } };
      return expectRecorded(
        (options) => center.lend(targetGlobalId, borrowedUsbKey, assetIds, options),
        [{ action: 'assets_lent', targetGlobalId, ...change }],
      );
    };
    await expectLent([second.assetId], second.assetNum);
    await expectLent([first.assetId, second.assetId], first.assetNum);
  });

  it('each of several administrators', async () => {
    const { globalId, userName } = await addOne();
    const login = (await createAdministrator({ db: stack.db, passwords }, center.enterpriseId))!;
    const [second] = await center.list({ keyword: login.account });
    const { body } = await askUserToken(stack.baseUrl, center.api.credentials, login);
    dataOf(await center.edit(globalId, { userName, name: 'Pat' }, { userToken: body.access_token }));
    expect((await center.audit())[0]).toMatchObject({
      action: 'employee_edited',
      actorGlobalId: second!.globalId,
      targetGlobalId: globalId,
    });
  });

  it('changes by the operator of the service, as actor 0', async () => {
    const opened = await MemberCenter.open(stack);
    await setPassword({ db: stack.db, passwords }, opened.cloudId);
    const login = (await createAdministrator({ db: stack.db, passwords }, opened.enterpriseId))!;
    const [added] = await opened.list({ keyword: login.account });
    const operators = {
      id: expect.stringMatching(/^[1-9]\d*$/),
      time: expect.any(Number),
      actorGlobalId: '0',
      requestId: expect.stringMatching(/^operator-[0-9a-f-]{36}$/),
    };
    const reset = { ...operators, action: 'password_reset', detail: { before: null, after: null } };
    expect(await opened.audit()).toEqual([
      {
        ...operators,
        action: 'employee_added',
        targetGlobalId: added!.globalId,
        detail: { before: null, after: { userName: 'admin2', name: 'Administrator' } },
      },
      { ...reset, targetGlobalId: opened.cloudId },
    ]);
  });
});

describe('concurrent changes', () => {
  it('are recorded exactly once', async () => {
    const opened = await openLicensed();
    const employees = await opened.add(...Array.from({ length: 5 }, () => newEmployee()));
    const assets = await opened.buy(10);
    const before = await opened.audit();
    const withId = () => ({ headers: { 'x-request-id': `audit-${randomUUID()}` } });
    const holder = (index: number) => employees[index % employees.length]!;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => {
        const { globalId, userName } = holder(index);
        const edit = { userName: userName.split('@')[0], name: `Kim ${index}` };
        return [
          untilServed(() => opened.submitAdd([newEmployee()], withId())),
          untilServed(() => opened.edit(globalId, edit, withId())),
          untilServed(() => opened.configure(globalId, [], [assets[index]!.assetNum], withId())),
        ];
      }).flat(),
    );
    expect(answers.map(({ body }) => body.code)).toEqual(answers.map(() => 0));
    const after = await opened.audit();
    const entries = after.slice(0, after.length - before.length);
    const requestIds = answers.map(({ headers }) => headers.get('x-request-id')!);
    expect(entries.map(({ requestId }) => requestId).toSorted()).toEqual(requestIds.toSorted());
    expect(after.slice(entries.length)).toEqual(before);
    expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
  });

  it('of an employee each start from the result of the one before', async () => {
    const { globalId, userName } = await addOne({ remark: '-', departmentId: 0 });
    const edits = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? { remark: `remark ${index}` } : { departmentId: index },
    );
    const answers = await Promise.all(edits.map((edit) => center.edit(globalId, { userName, name: 'Kim', ...edit })));
    expect(answers.map(({ status }) => status)).toEqual(edits.map(() => 200));
    const entries = (await center.audit()).filter(({ targetGlobalId }) => targetGlobalId === globalId).toReversed();
    const [added, ...edited] = entries.map(({ detail }) => detail);
    expect(edited.map(({ after }) => JSON.stringify(after)).toSorted()).toEqual(
      edits.map((edit) => JSON.stringify(edit)).toSorted(),
    );
    const state = { ...added!.after };
    for (const { before, after } of edited) {
      expect(state).toMatchObject(before!);
      Object.assign(state, after);
    }
    const { remark, departmentId } = (await center.listed(globalId))!;
    expect(state).toMatchObject({ remark, departmentId });
  });
});

/** Sorts assets by number, the order in which calls lock and record them. */
function byNumber(assets: { assetNum: string; assetId: string }[]) {
  const [first, second, third] = assets.toSorted((a, b) => (a.assetNum < b.assetNum ? -1 : 1));
  return [first!, second!, third!] as const;
}

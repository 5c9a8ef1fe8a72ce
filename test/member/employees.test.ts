import { randomUUID } from 'node:crypto';
import { PasswordHasher } from '@lockstep/access';
import {
  buildMessage,
  type CreatedEnterprise,
  type Employee,
  EmployeePage,
  type ListedEmployee,
} from '@lockstep/contract';
import { createAdministrator, type NewLogin } from '@lockstep/members';
import { openDatabase } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, dataOf, refusalOf, untilServed } from '../harness/api.ts';
import { countWaiting } from '../harness/databases/waiting.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { askUserToken } from '../harness/oauth.ts';
import { deleteAsset, newAssetNum, newBuy, type Sent } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** Administrators manage the employees of an enterprise with M1 to M5 (rules 8). */
const MAX_LONG = Number.MAX_SAFE_INTEGER;
const ID = /^[1-9]\d{0,18}$/;
const passwords = new PasswordHasher();

const HUNDRED = Array.from({ length: 100 }, (_, index) =>
  newEmployee({ userName: `user${index}`, name: `Employee ${index}`, departmentId: departmentOf(index) }),
);

const { stack, api } = await testStack({ worker: false });
/** The stack's database, on connections that the API doesn't use. */
const outside = openDatabase({ url: stack.url, poolSize: 2, applicationName: 'test-outside', onError: () => {} });
const open = () => MemberCenter.open(stack, api);
/** Without a limit of employees: `big` has a hundred, which the tests don't change; to `firm` they add their own. */
const [big, firm] = await Promise.all([openLicensed(), openLicensed()]);
const hundred = await big.submitAdd(HUNDRED);
afterAll(() => outside.destroy());

/** Opens an enterprise without a limit of employees. */
async function openLicensed(): Promise<MemberCenter> {
  const center = await open();
  await center.buy(1, { licenseType: 'cloud_customer' });
  return center;
}

/**
 * Makes calls while a transaction locks the enterprise. Releases it when `waiting` of them wait. Otherwise the calls
 * would not overlap, because passwords are hashed a few at a time.
 */
async function atOnce(center: MemberCenter, waiting: number, calls: () => Promise<Answer>[]): Promise<Answer[]> {
  const answers = await outside.transaction().execute(async (trx) => {
    await trx.selectFrom('enterprise').select('id').where('id', '=', center.enterpriseId).forUpdate().execute();
    const running = Promise.all(calls());
    await expect.poll(() => countWaiting(outside)).toBeGreaterThanOrEqual(waiting);
    return { running };
  });
  return await answers.running;
}

const newEmployees = (count: number, fields: Sent = {}) => Array.from({ length: count }, () => newEmployee(fields));

/** Repeats a text to that many characters (code points). */
const characters = (text: string, count: number) => [...text.repeat(count)].slice(0, count).join('');
/** Returns as many characters, which the service counts in their composed form, decomposed. */
const decomposed = (text: string, count: number) => characters(text.normalize('NFC'), count).normalize('NFD');

const logIn = (account: string, password: string) =>
  askUserToken(stack.baseUrl, api.credentials, { account, password });
async function userToken(login: NewLogin): Promise<string> {
  const answer = await logIn(login.account, login.password);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.access_token;
}
const LOGGED_IN = { status: 200, body: { token_type: 'Bearer' } };
const NOT_LOGGED_IN = { status: 400, body: { error: 'invalid_grant' } };

/** Returns the code and the cause of a refusal. */
function causeOf(answer: Answer): [code: string, cause: string] {
  const { code, cause } = refusalOf(answer);
  return [code, cause];
}

function departmentOf(index: number): number | undefined {
  if (index === 0) return MAX_LONG;
  if (index === 1) return 0;
  return index < 12 ? 7 : undefined;
}

describe('M1 adds', () => {
  it('an employee, and answers every field', async () => {
    const before = Date.now();
    const told = { name: 'Kim Lee', remark: 'night shift', departmentId: 12 };
    const sent = newEmployee({ ...told, userName: 'Kim2', passwordMobile: '13800000000' });
    const [full, plain] = await firm.add(sent, newEmployee({ userName: 'lee' }));
    const { globalId, createTime } = full!;
    expect(full).toEqual({
      id: globalId,
      userId: globalId,
      globalId: expect.stringMatching(ID),
      ...told,
      enterpriseId: firm.enterpriseId,
      departmentName: null,
      userName: `Kim2@${firm.code}`,
      deleted: false,
      updateTime: createTime,
      createTime: expect.any(Number),
    });
    expect(createTime).toBeGreaterThanOrEqual(before);
    expect(createTime).toBeLessThanOrEqual(Date.now());
    expect(plain).toEqual({
      ...full,
      id: plain!.globalId,
      userId: plain!.globalId,
      globalId: expect.stringMatching(ID),
      departmentId: null,
      userName: `lee@${firm.code}`,
      name: 'Kim',
      remark: null,
    });
    expect(plain!.globalId).not.toBe(globalId);

    const list = await firm.list();
    const more = { assetNums: [], borrowNum: '', onlineFlag: false, boundUserInfo: null };
    expect(list.slice(0, 2)).toEqual([
      { ...plain, ...more, passwordMobile: '' },
      { ...full, ...more, passwordMobile: '13800000000' },
    ]);
  });

  it('a hundred in one call, in the order sent', async () => {
    const { succeeded, failed } = dataOf(hundred);
    expect(failed).toEqual([]);
    expect(succeeded).toMatchObject(
      HUNDRED.map(({ userName, name }) => ({ userName: `${userName}@${big.code}`, name })),
    );
    expect(new Set(succeeded.map(({ globalId }: Employee) => globalId)).size).toBe(100);
  });

  it('one of twenty concurrent calls for the same account', async () => {
    const userName = `one${randomUUID().slice(0, 8)}`;
    const employee = newEmployee({ userName });
    const add = () => untilServed(() => firm.submitAdd([employee]));
    const answers = await atOnce(firm, 6, () => Array.from({ length: 20 }, add));
    const [added, ...others] = answers.toSorted((a, b) => a.status - b.status);
    const [{ globalId }] = dataOf(added!).succeeded;
    expect(others.map(causeOf)).toEqual(others.map(() => ['80001', 'account_taken']));
    expect(await firm.list({ keyword: userName })).toMatchObject([{ globalId }]);
  });

  it('each employee once, in two concurrent calls with the same list, one of them reversed', async () => {
    const center = await openLicensed();
    const shared = newEmployees(6);
    const answers = await atOnce(center, 2, () => [
      center.submitAdd([newEmployee({ userName: 'first' }), ...shared]),
      center.submitAdd([newEmployee({ userName: 'second' }), ...shared.toReversed()]),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const accounts = answers.flatMap(({ body }) => body.data.succeeded).map(({ userName }: Employee) => userName);
    const wanted = ['first', 'second', ...shared.map(({ userName }) => userName)].map(
      (name) => `${name}@${center.code}`,
    );
    expect(accounts.toSorted()).toEqual(wanted.toSorted());
    expect(answers.flatMap(({ body }) => body.data.failed)).toHaveLength(6);
    const listed = (await center.list()).map(({ userName }) => userName);
    expect(listed.toSorted()).toEqual([...wanted, `admin@${center.code}`, `cloud@${center.code}`].toSorted());
  });
});

describe('M1 of an enterprise without a cloud license', () => {
  const EXHAUSTED = ['60009', 'trial_employees_exhausted'];
  const full = async () => {
    const center = await open();
    const employees = await center.add(...newEmployees(5));
    return { center, employees };
  };

  it('adds five, not counting the two of O2 and the administrators of the operator, and no sixth', async () => {
    const center = await open();
    await createAdministrator({ db: stack.db, passwords }, center.enterpriseId);
    const answer = await center.submitAdd(newEmployees(7));
    expect(answer).toMatchObject({ status: 200, body: { code: '60027' } });
    const { succeeded, failed } = answer.body.data;
    expect(succeeded).toHaveLength(5);
    expect(failed.map((failure: { message: string }) => failure.message)).toEqual([
      buildMessage('trial_employees_exhausted', 'userList[5]', 5),
      buildMessage('trial_employees_exhausted', 'userList[6]', 5),
    ]);
    expect(causeOf(await center.submitAdd(newEmployees(1)))).toEqual(EXHAUSTED);
    expect(await center.list()).toHaveLength(8);
  });

  it('adds five of ten that arrive at once', async () => {
    const center = await open();
    const answers = await atOnce(center, 6, () => newEmployees(10).map((employee) => center.submitAdd([employee])));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(causeOf)).toEqual(Array.from({ length: 5 }, () => EXHAUSTED));
    expect(await center.list()).toHaveLength(7);
  });

  it('can add another when one of the five is deleted, but not when one of O2 is', async () => {
    const { center, employees } = await full();
    dataOf(await center.delete(center.cloudId));
    expect(causeOf(await center.submitAdd(newEmployees(1)))).toEqual(EXHAUSTED);
    dataOf(await center.delete(employees[2]!.globalId));
    await center.add();
    expect(causeOf(await center.submitAdd(newEmployees(1)))).toEqual(EXHAUSTED);
  });

  describe('with five employees', async () => {
    const { center } = await full();
    let count = (await center.list()).length;

    it('counts neither its other licenses nor the cloud licenses of other enterprises', async () => {
      await center.buy(1, { licenseType: 'softkey' });
      expect(causeOf(await center.submitAdd(newEmployees(1)))).toEqual(EXHAUSTED);
    });

    it.each(['cloud_account', 'cloud_customer', 'cloud_personal'])(
      'can add more while it has a cloud license, %s, and none when that is revoked',
      async (licenseType) => {
        const assetNum = newAssetNum();
        const [order] = await api.carryOut(newBuy(center.customer, [assetNum], { licenseType }));
        count += (await center.add(...newEmployees(2))).length;
        const source = { licenseType, srcLicenseOrderId: order!.licenseOrderId };
        await api.carryOut(deleteAsset(center.customer, [assetNum], source));
        expect(causeOf(await center.submitAdd(newEmployees(1)))).toEqual(EXHAUSTED);
        expect(await center.list()).toHaveLength(count);
      },
    );
  });
});

it('an account has fewer than 63 characters with the code, and logs in with 62', async () => {
  const most = 62 - firm.code.length;
  const [longest, tooLong] = ['a'.repeat(most), 'b'.repeat(most + 1)];
  const answer = await firm.submitAdd([newEmployee({ userName: longest }), newEmployee({ userName: tooLong })]);
  const { succeeded, failed } = answer.body.data;
  expect(succeeded).toMatchObject([{ userName: `${longest}@${firm.code}` }]);
  expect(failed).toMatchObject([{ userName: tooLong }]);
  expect(causeOf(await firm.submitAdd([newEmployee({ userName: tooLong })]))).toEqual(['10003', 'account_malformed']);
  expect(await logIn(`${longest}@${firm.code}`, 'correct horse')).toMatchObject(LOGGED_IN);
});

describe('names and remarks', () => {
  /** Without blanks, because leading and trailing blanks would be trimmed. */
  const SCRIPTS: Record<string, string> = {
    Latin: 'Åsa-Zoë',
    'combining characters': 'Zoe\u0308a\u0301\u0323',
    Cyrillic: 'Жанна',
    Greek: 'Σοφία',
    Arabic: 'مرحبا',
    Hebrew: 'שָׁלוֹם',
    'direction marks': '\u202eabc\u202c\u200f',
    Devanagari: 'क्षत्रिय',
    Thai: 'สวัสดี',
    Chinese: '张伟',
    'rare Chinese': '𠮷野家',
    'Korean letters': '\u1112\u1161\u11ab',
    emoji: '😀🎉',
    'joined emoji': '👩‍👩‍👧‍👦',
    flags: '🇩🇪🇨🇳',
    'SQL and HTML': `'";--<b>&\\%_$1{0}`,
  };

  const composed = (text: unknown) => String(text).normalize('NFC');

  it('have 30 and 200 characters of any script', async () => {
    const center = await openLicensed();
    const texts = Object.values(SCRIPTS);
    const good = texts.map((text) => newEmployee({ name: decomposed(text, 30), remark: decomposed(text, 200) }));
    const longNames = texts.map((text) => newEmployee({ name: decomposed(text, 31) }));
    const longRemarks = texts.map((text) => newEmployee({ remark: decomposed(text, 201) }));
    const answer = await center.submitAdd([...longNames, ...good, ...longRemarks]);
    const { succeeded, failed } = answer.body.data;
    const sent = good.map(({ name, remark }) => ({ name: composed(name), remark: composed(remark) }));
    const shown = (employees: Employee[]) => employees.map(({ name, remark }) => ({ name, remark }));
    expect(shown(succeeded)).toEqual(sent);
    expect(shown((await center.list()).slice(0, sent.length).toReversed())).toEqual(sent);
    expect(failed).toMatchObject([
      ...longNames.map(({ userName }, index) => ({
        userName,
        message: buildMessage('name_too_long', `userList[${index}].name`),
      })),
      ...longRemarks.map(({ userName }, index) => ({
        userName,
        message: buildMessage('remark_too_long', `userList[${2 * texts.length + index}].remark`),
      })),
    ]);

    // M2 counts characters the same way.
    const { globalId } = succeeded[0];
    const userName = good[0]!.userName;
    const edit = (fields: Sent) => center.edit(globalId, { userName, name: 'Kim', ...fields });
    const family = SCRIPTS['joined emoji']!;
    const most = { name: characters(family, 30), remark: characters(family, 200) };
    dataOf(await edit(most));
    expect(await center.listed(globalId)).toMatchObject(most);
    expect(causeOf(await edit({ name: characters(family, 31) }))).toEqual(['30002', 'name_too_long']);
    expect(causeOf(await edit({ remark: characters(family, 201) }))).toEqual(['30003', 'remark_too_long']);
  });

  it('are trimmed; a remark may have line breaks, and an empty one is removed', async () => {
    const added = await firm.add(
      newEmployee({ name: '\u3000 Kim  Lee\t', remark: '  night\u00a0' }),
      newEmployee({ remark: ' ' }),
      newEmployee({ remark: '\nnight shift\r\nno access\rto yard 2\n' }),
    );
    expect(added).toMatchObject([
      { name: 'Kim  Lee', remark: 'night' },
      { remark: null },
      { remark: 'night shift\r\nno access\rto yard 2' },
    ]);
  });
});

const GOOD_MOBILES = ['13000000000', '19999999999', '+8613800000000', '+14155550123', '+12', '+123456789012345'];

it('a mobile number is one of mainland China, with or without +86, or any in E.164', async () => {
  await firm.add(...GOOD_MOBILES.map((passwordMobile) => newEmployee({ passwordMobile })));
  const listed = (await firm.list()).slice(0, GOOD_MOBILES.length).toReversed();
  expect(listed.map(({ passwordMobile }) => passwordMobile)).toEqual(GOOD_MOBILES.with(2, '13800000000'));
});

const EMOJI = '🔑🐎🔋📎🥨🌍🚲🎲';
/** Passwords, some with a similar password that must not log in. */
const GOOD: Record<string, [password: string, not?: string]> = {
  '8 characters': ['12345678', '1234567'],
  '32 characters': ['p'.repeat(32), 'p'.repeat(31)],
  '8 emoji': [EMOJI, EMOJI.slice(0, -2)],
  '32 emoji': [EMOJI.repeat(4)],
  '32 decomposed characters': ['é'.repeat(32).normalize('NFD')],
  'blanks around it': ['  staple ', 'staple'],
  'Chinese and Arabic': ['正确的马电池مرحبا'],
  'special characters of shells and URLs': ['a&b=c+d%20"\'$;#'],
  'upper and lower case': ['CorrectHorse', 'correcthorse'],
  // macOS and Windows keyboards compose a character differently.
  'composed characters': ['Größe-Café', 'Große-Cafe'],
};

it('a password of 8 to 32 characters logs in unchanged', async () => {
  const users = Object.values(GOOD).map(([password]) => newEmployee({ password }));
  const added = await firm.add(...users);
  const logins = await Promise.all(
    Object.entries(GOOD).map(async ([which, [password, not]], index) => {
      const { userName } = added[index]!;
      const right = await logIn(userName, password);
      return [which, right.status, not === undefined ? 400 : (await logIn(userName, not)).status];
    }),
  );
  expect(logins).toEqual(Object.keys(GOOD).map((which) => [which, 200, 400]));
  const composed = added.at(-1)!;
  expect(await logIn(composed.userName, 'Größe-Café'.normalize('NFD'))).toMatchObject(LOGGED_IN);
});

describe('M2 edits', async () => {
  let before: ListedEmployee;
  const SAME = { userName: 'kim', name: 'Kim' };
  const FULL = { ...SAME, departmentId: 7, remark: 'night shift', passwordMobile: '13800000000' };
  const center = await open();
  await center.add(newEmployee(FULL));
  beforeEach(async () => {
    const [{ globalId }] = (await center.list({ keyword: 'kim@' })) as [ListedEmployee];
    dataOf(await center.edit(globalId, FULL));
    // Moves all times an hour back, so that a new updateTime differs from the old one.
    await sql`
      update member set created_time = created_time - interval '1 hour', updated_time = created_time - interval '1 hour'
      where id = ${globalId}`.execute(stack.db);
    before = (await center.listed(globalId))!;
  });
  const edit = (fields: Sent) => center.edit(before.globalId, { ...SAME, ...fields });
  const shown = async () => (await center.listed(before.globalId))!;

  it('all fields, and keeps the account', async () => {
    const fields = { name: '金李', departmentId: 8, remark: 'day shift', passwordMobile: '+14155550123' };
    expect(await edit(fields)).toMatchObject({ status: 200, body: { code: 0, message: 'success', data: null } });
    const after = await shown();
    expect(after).toEqual({ ...before, ...fields, updateTime: after.updateTime });
    expect(after.updateTime).toBeGreaterThan(before.updateTime);
  });

  describe.each([
    ['departmentId', 8, null],
    ['remark', 'day shift', null],
    ['passwordMobile', '+14155550123', ''],
  ] as const)('%s', (field, value, none) => {
    it.each<[how: string, fields: Sent, shown: unknown]>([
      ['stays if absent', {}, FULL[field]],
      ['stays if empty', { [field]: '' }, FULL[field]],
      ['stays if blank', { [field]: ' \t' }, FULL[field]],
      ['is removed if null', { [field]: null }, none],
      ['changes if different', { [field]: value }, value],
      ...(field === 'remark'
        ? ([['may have several lines', { remark: ' day\r\nshift\n' }, 'day\r\nshift']] as [string, Sent, unknown][])
        : []),
    ])('%s', async (_how, fields, expected) => {
      dataOf(await edit(fields));
      const after = await shown();
      expect(after).toEqual({ ...before, [field]: expected, updateTime: after.updateTime });
      expect(after.updateTime === before.updateTime).toBe(expected === before[field]);
    });
  });

  it('also by the full account name', async () => {
    expect(before.userName).toMatch(/^kim@[a-z0-9]{6,10}$/);
    dataOf(await edit({ userName: ` ${before.userName} `, remark: 'day shift' }));
    expect(await shown()).toMatchObject({ userName: before.userName, remark: 'day shift' });
  });

  it('nothing, without an audit entry, if the values are the same', async () => {
    const entries = await center.audit();
    for (const fields of [{}, FULL, { name: ' Kim ', remark: '', departmentId: 7 }]) dataOf(await edit(fields));
    expect(await shown()).toEqual(before);
    expect(await center.audit()).toEqual(entries);
  });

  it('an administrator too, even the caller', async () => {
    dataOf(await center.edit(center.adminId, { userName: 'admin', name: '王' }));
    expect(await center.listed(center.adminId)).toMatchObject({ name: '王', userName: center.account });
  });

  it('without logging out or changing the password', async () => {
    const password = 'battery staple';
    dataOf(await center.resetPassword(before.globalId, password));
    const token = await userToken({ account: before.userName, password });
    dataOf(await edit({ name: 'Lee' }));
    expect(causeOf(await center.submitList({}, { userToken: token }))[0]).toBe('70001');
    expect(await logIn(before.userName, password)).toMatchObject(LOGGED_IN);
  });
});

describe('M3 sets a password', () => {
  it('that logs in when the old one no longer does, and revokes the tokens of the old one', async () => {
    const [employee] = await firm.add(newEmployee({ password: 'correct horse' }));
    const { globalId, userName } = employee!;
    const token = await userToken({ account: userName, password: 'correct horse' });
    const call = () => firm.submitList({ pageNum: '1', pageSize: '1' }, { userToken: token });
    expect(causeOf(await call())).toEqual(['70001', 'not_administrator']);

    const answer = await firm.resetPassword(globalId, 'battery staple');
    expect(answer).toMatchObject({ status: 200, body: { code: 0, message: 'success', data: null } });
    expect(causeOf(await call())).toEqual(['60005', 'user_token_invalid']);
    expect(await logIn(userName, 'correct horse')).toMatchObject(NOT_LOGGED_IN);
    expect(await logIn(userName, 'battery staple')).toMatchObject(LOGGED_IN);
  });
});

describe('M4 deletes', () => {
  it('an employee, who stays on record and is no longer listed, and frees the account for another', async () => {
    const user = newEmployee({ password: 'correct horse' });
    const [employee] = await firm.add(user);
    const { globalId, userName: account } = employee!;
    const token = await userToken({ account, password: 'correct horse' });
    const answer = await firm.delete(globalId);
    expect(answer).toMatchObject({ status: 200, body: { code: 0, message: 'success', data: null } });
    expect(await firm.list({ keyword: account })).toEqual([]);
    const row = await stack.db.selectFrom('member').selectAll().where('id', '=', globalId).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ user_name: user.userName, name: 'Kim', deleted_time: expect.any(Date) });

    const [other] = await firm.add({ ...user, password: 'battery staple', name: 'Other' });
    expect(other).toMatchObject({ userName: account, name: 'Other', deleted: false });
    expect(other!.globalId).not.toBe(globalId);
    expect(causeOf(await firm.submitList({}, { userToken: token }))).toEqual(['60005', 'user_token_invalid']);
    expect(await logIn(account, 'correct horse')).toMatchObject(NOT_LOGGED_IN);
    expect(await logIn(account, 'battery staple')).toMatchObject(LOGGED_IN);
    expect(causeOf(await firm.delete(globalId))).toEqual(['60002', 'employee_not_found']);
    expect(await firm.list({ keyword: account })).toMatchObject([{ globalId: other!.globalId }]);
  });

  it('one of the two of O2, and a repeated O2 still returns the same two', async () => {
    const center = await open();
    const { channelCustomerId: crmCustomerId } = center.customer;
    const body = { crmCustomerId, customerName: 'Whatever', branchName: 'Branch' };
    const repeat = async (): Promise<CreatedEnterprise> => {
      const { members, ...rest } = dataOf(await api.call('POST', '/enterprise/user/create', { body }));
      return { ...rest, members };
    };
    const before = await repeat();
    expect(before.members.map(({ memberGlobalId }) => memberGlobalId)).toEqual([center.adminId, center.cloudId]);
    dataOf(await center.delete(center.cloudId));
    expect(await repeat()).toEqual(before);
    await center.add(newEmployee({ userName: 'cloud' }));
    expect(await repeat()).toEqual(before);
  });

  it('not the last administrator', async () => {
    expect(causeOf(await firm.delete(firm.adminId))).toEqual(['70001', 'last_administrator']);
    expect(await firm.list({ keyword: firm.account })).toMatchObject([{ globalId: firm.adminId, deleted: false }]);
    expect(await logIn(firm.account, firm.password)).toMatchObject(LOGGED_IN);
  });

  it('one of two administrators, even the caller', async () => {
    const center = await open();
    const second = await secondAdministrator(center);
    dataOf(await center.delete(center.adminId));
    expect(causeOf(await center.submitList({}))).toEqual(['60005', 'user_token_invalid']);
    const itself = await center.delete(second.globalId, { userToken: second.userToken });
    expect(causeOf(itself)).toEqual(['70001', 'last_administrator']);
  });

  it('exactly one of two administrators who delete each other concurrently', async () => {
    const center = await open();
    let left = { globalId: center.adminId as string, userToken: center.userToken };
    for (let round = 0; round < 3; round++) {
      const pair = [left, await secondAdministrator(center, left.userToken)] as const;
      const [first, second] = pair;
      const answers = await Promise.all([
        center.delete(second.globalId, { userToken: first.userToken }),
        center.delete(first.globalId, { userToken: second.userToken }),
      ]);
      const winner = answers.findIndex(({ status }) => status === 200);
      left = pair[winner]!;
      // The other administrator may be deleted before or after their call is verified.
      expect(['70001', '60005']).toContain(causeOf(answers[1 - winner]!)[0]);
      const query = { pageNum: '1', pageSize: '9' };
      const { list } = dataOf(await center.submitList(query, { userToken: left.userToken }));
      expect(list.map(({ globalId }: Employee) => globalId).toSorted()).toEqual(
        [left.globalId, center.cloudId].toSorted(),
      );
    }
  });

  /** Adds another administrator, as the operator does, and logs them in. */
  async function secondAdministrator(center: MemberCenter, token = center.userToken) {
    const login = (await createAdministrator({ db: stack.db, passwords }, center.enterpriseId))!;
    const query = { pageNum: '1', pageSize: '9', keyword: login.account };
    const { list } = dataOf(await center.submitList(query, { userToken: token }));
    return { globalId: list[0].globalId as string, userToken: await userToken(login) };
  }
});

describe('M5 lists', () => {
  const strictPage = z.strictObject(EmployeePage.shape);
  const listPage = async (query: Record<string, string>) => strictPage.parse(dataOf(await big.submitList(query)));
  const ids = (list: { globalId: string }[]) => list.map(({ globalId }) => globalId);
  /** All employees of the big enterprise, newest first: the hundred in reverse, then the two of O2. */
  const newestFirst = () => [...ids(dataOf(hundred).succeeded).toReversed(), big.cloudId, big.adminId];
  const window = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

  it.each([
    [1, 10, 11],
    [6, 10, 11],
    [11, 10, 11],
    [12, 10, 11],
    [1, 1, 102],
    [1, 500, 1],
    [2_147_483_647, 500, 1],
    [2_147_483_647, 1, 102],
  ])('page %i of %i employees, newest first', async (pageNum, pageSize, pages) => {
    const page = await listPage({ pageNum: String(pageNum), pageSize: String(pageSize) });
    const expected = newestFirst().slice((pageNum - 1) * pageSize, pageNum * pageSize);
    expect(ids(page.list)).toEqual(expected);
    expect(page).toMatchObject({ pageNum, pageSize, size: expected.length, orderBy: null, total: 102, pages });
    expect(page).toMatchObject({ navigatePages: 8, isLastPage: pageNum === pages });
    if (pageSize === 500 && pageNum === 1) expect(page).toMatchObject({ startRow: 1, endRow: 102 });
  });

  it('the assets of an employee in the order of assignment, and the locks that they are lent into', async () => {
    const [kim] = await firm.add();
    const assets = await firm.buy(3);
    const locks = await firm.buyLocks(2);
    const [first, second, third] = [assets[2]!, assets[0]!, assets[1]!];
    for (const { assetNum } of [first, second, third]) await firm.assign(kim!.globalId, assetNum);
    dataOf(await firm.lend(kim!.globalId, locks[1]!.assetNum, [first.assetId, third.assetId]));
    dataOf(await firm.lend(kim!.globalId, locks[0]!.assetNum, [second.assetId]));
    expect(await firm.listed(kim!.globalId)).toEqual({
      ...kim,
      passwordMobile: '',
      onlineFlag: false,
      boundUserInfo: null,
      assetNums: [first, second, third].map(({ assetNum }) => assetNum),
      borrowNum: `${locks[1]!.assetNum},${locks[0]!.assetNum}`,
    });
  });

  it.each<[departmentId: string, users: number[]]>([
    ['7', window(2, 11)],
    [' 7 ', window(2, 11)],
    ['0', [1]],
    [String(MAX_LONG), [0]],
    ['8', []],
  ])('those of department %s', async (departmentId, users) => {
    const list = await big.list({ departmentId });
    expect(list.map(({ name }) => name)).toEqual(users.map((index) => `Employee ${index}`).toReversed());
    expect(list.filter((employee) => employee.departmentId !== Number(departmentId))).toEqual([]);
  });

  it('all employees if department and keyword are empty', async () => {
    expect(await big.list({ departmentId: '', keyword: ' ' })).toHaveLength(102);
  });

  it('employees whose names look like the keyword', async () => {
    const names = ['Zoë Ångström', '한국어'];
    await firm.add(...names.map((name) => newEmployee({ name: name.normalize('NFD') })));
    for (const form of ['NFC', 'NFD']) {
      const found = await Promise.all(names.map((name) => firm.list({ keyword: name.normalize(form) })));
      expect(found).toMatchObject(names.map((name) => [{ name }]));
    }
  });

  it('employees of a department that match the keyword, page by page', async () => {
    const found = await listPage({ departmentId: '7', keyword: 'USER1', pageNum: '1', pageSize: '1' });
    expect(found).toMatchObject({ total: 2, pages: 2, list: [{ name: 'Employee 11' }] });
  });
});

describe('the cursor of M5', () => {
  const page = async (center: MemberCenter, query: Record<string, string>) =>
    EmployeePage.parse(dataOf(await center.submitList({ pageNum: '1', pageSize: '2', ...query })));

  it('shows each remaining employee once, whatever changes in between', async () => {
    const center = await open();
    await center.add(...newEmployees(4, { departmentId: 7 }));
    const all = await center.list({ departmentId: '7' });
    const first = await page(center, { departmentId: '7', cursor: '' });
    dataOf(await center.delete(all[0]!.globalId));
    const query = { departmentId: ' 7 ', pageNum: '2', cursor: first.nextCursor! };
    const second = await page(center, query);
    expect([...first.list, ...second.list]).toEqual(all);
    expect(second).toMatchObject({ pageNum: 2, total: 3, nextCursor: null });
    await center.add(...newEmployees(1, { departmentId: 7 }));
    expect((await page(center, query)).list).toEqual(second.list);
    expect((await page(center, { departmentId: '7', pageNum: '9' })).nextCursor).toBeNull();
  });

  it.each<[of: string, center: () => MemberCenter, query: Record<string, string>]>([
    ['another enterprise', () => firm, { departmentId: '7' }],
    ['another department', () => big, { departmentId: '8' }],
    ['no department', () => big, {}],
    ['another keyword', () => big, { departmentId: '7', keyword: 'user' }],
  ])('is refused for %s', async (_of, center, query) => {
    const { nextCursor } = await page(big, { departmentId: '7' });
    const paging = { pageNum: '1', pageSize: '2', cursor: nextCursor! };
    const answer = await center().submitList({ ...paging, ...query });
    expect([...causeOf(answer), answer.body.message]).toEqual([
      '40000',
      'field_invalid',
      expect.stringContaining('cursor'),
    ]);
    expect(causeOf(await big.submitList({ ...paging, departmentId: '7', cursor: `${nextCursor}x` }))[0]).toBe('40000');
  });
});

describe('the keyword of M5', async () => {
  /** Names by account. No account contains the searched parts of names. */
  const NAMES: Record<string, string> = {
    anna1: 'Änne Ölschläger',
    anna2: 'Zhanna Жанна',
    ANNA3: 'Σοφία Οδυσσέα',
    u1: '100% sure',
    u2: '1000 sure',
    u3: 'a_b',
    u4: 'axb',
    u5: 'back\\slash',
    u6: 'backslash',
    u7: "O'Neil",
    u8: '[a-z]+ .* ^$',
    u9: '😀 smile 👩‍👧',
    u10: 'שלום عالم',
    u11: '张伟 𠮷野家',
    u12: 'ĲSSEL ǅ ＡＢＣ',
    // The last letter has a special lower-case form.
    u13: 'Γιώργος',
  };
  const ALL = [...Object.keys(NAMES), 'admin', 'cloud'];

  const center = await openLicensed();
  await center.add(...Object.entries(NAMES).map(([userName, name]) => newEmployee({ userName, name })));
  const accountsFound = async (keyword: string) =>
    (await center.list({ keyword })).map(({ userName }) => userName.split('@')[0]).toSorted();

  const FOUND: [accounts: string[], ...keywords: string[]][] = [
    // In any case, of any script, parts of a name or an account
    [['anna1'], 'Ä', 'ä', 'ÖLSCHLÄGER', 'Änne Ö', '  anna1 ', 'a1@'],
    [['anna2'], 'ж', 'ЖАННА'],
    [['ANNA3', 'u13'], 'σ'],
    [['ANNA3'], 'ΣΟΦΊΑ', 'οδυσΣέα', 'NNA3'],
    [['ANNA3', 'anna1', 'anna2'], 'anna'],
    [['u1', 'u2'], 'SURE'],
    [['u9'], '😀', '👩'],
    [['u10'], 'שלום', 'عال'],
    [['u11'], '伟', '𠮷'],
    [['u13'], 'ΓΙΏΡΓΟΣ'],
    [['u12'], 'ĳssel', 'ａｂｃ'],
    [['admin'], 'adm'],
    [ALL.toSorted(), '@'],
    // No wildcards
    [['u1'], '%', '0%'],
    [['u3'], '_', 'a_b'],
    [['u5'], '\\', '\\s'],
    [['u7'], "'", "o'n"],
    [['u8'], '.*', '[a-z]', '^', '$'],
    [[], '1%e', "' or '1'='1", 'Änne  Ö', 'nobody', '%@', 'anna@'],
  ];
  it.each(FOUND.flatMap(([accounts, ...keywords]) => keywords.map((keyword) => [keyword, accounts] as const)))(
    '%s',
    async (keyword, accounts) => {
      expect(await accountsFound(keyword)).toEqual(accounts);
    },
  );

  it('may be a full account in any case, but the code alone matches nothing', async () => {
    expect(await accountsFound(`anna1@${center.code}`)).toEqual(['anna1']);
    expect(await accountsFound(`ANNA1@${center.code.toUpperCase()}`)).toEqual(['anna1']);
    expect(await accountsFound(`@${center.code}`)).toEqual(ALL.toSorted());
    expect(await accountsFound(`anna1@${center.code}x`)).toEqual([]);
    expect(await accountsFound(`@${big.code}`)).toEqual([]);
    expect(await accountsFound(center.code)).toEqual([]);
  });
});

import { AddedEmployees, buildMessage, type Cause } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, pathIn, refusalOf } from '../harness/api.ts';
import { contentWithoutLogins } from '../harness/databases/tables.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { put } from '../harness/orders/faults.ts';
import type { Sent } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/**
 * M1 with several employees, some or all of whom can't be added. The answer lists who failed and why, and who was added
 * (interface M1; rules 1 and 8). A value of the wrong type refuses the whole call.
 */

const { stack } = await testStack({ worker: false });
const contents = () => contentWithoutLogins(stack.db);
const center = await MemberCenter.open(stack);

/** Employees in requests, with a new account by default. */
const listOf = (...userList: Sent[]) => userList.map(newEmployee);

/** Returns an answer's data, checked against the contract. */
const addedOf = ({ body }: Answer) => z.strictObject(AddedEmployees.shape).parse(body.data);

type Failed = AddedEmployees['failed'][number];

/** Returns the employees who weren't added: account, path in the message, and cause. */
const failuresOf = (answer: Answer) =>
  addedOf(answer).failed.map(({ userName, message, cause }: Failed) => [userName, pathIn(message), cause]);

const long = 'k'.repeat(62);

it('some fail: HTTP 200 with 60027, who failed and why in order, and who was added', async () => {
  await center.add(newEmployee({ userName: 'kim' }));
  const userList = listOf(
    { userName: 'an', name: '安', departmentId: 7, remark: 'night shift', passwordMobile: '+8613800000000' },
    { userName: 'long', name: 'x'.repeat(31) },
    { userName: 'k_m' },
    { userName: 'Bo', name: ' Bo ', departmentId: null, remark: '' },
    { userName: 'short', password: '1234567' },
    { userName: 'kim' },
    { userName: 'an', name: 'Another' },
    { userName: 'control', name: 'a\u0000b' },
    { userName: undefined },
    { userName: null, password: 'x', name: ' ' },
    { userName: 'mobile', passwordMobile: '12345' },
    { userName: 'remark', remark: 'x'.repeat(201) },
    { userName: 'department', departmentId: '' },
    { userName: long },
    { userName: 'cy', name: 'Cy' },
  );
  const answer = await center.submitAdd(userList);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    code: '60027',
    cause: 'some_employees_failed',
    message: buildMessage('some_employees_failed', 12, 15),
    args: ['12', '15'],
    data: expect.anything(),
  });
  const { succeeded, failed } = addedOf(answer);
  expect(failed.map(({ index, code }, place) => [index, code, ...failuresOf(answer)[place]!])).toEqual([
    [1, '30002', 'long', 'userList[1].name', 'name_too_long'],
    [2, '10003', 'k_m', 'userList[2].userName', 'account_malformed'],
    [4, '50003', 'short', 'userList[4].password', 'password_length'],
    [5, '80001', 'kim', 'userList[5].userName', 'account_taken'],
    [6, '80001', 'an', 'userList[6].userName', 'account_taken'],
    [7, '40000', 'control', 'userList[7].name', 'field_invalid'],
    [8, '40008', '', 'userList[8].userName', 'account_missing'],
    [9, '40008', '', 'userList[9].userName', 'account_missing'],
    [10, '10004', 'mobile', 'userList[10].passwordMobile', 'mobile_invalid'],
    [11, '30003', 'remark', 'userList[11].remark', 'remark_too_long'],
    [12, '40009', 'department', 'userList[12].departmentId', 'group_id_missing'],
    [13, '10003', long, 'userList[13].userName', 'account_malformed'],
  ]);

  const person = { enterpriseId: center.enterpriseId, departmentId: null, departmentName: null, remark: null };
  const always = { id: expect.any(String), userId: expect.any(String), globalId: expect.any(String), deleted: false };
  const times = { createTime: expect.any(Number), updateTime: expect.any(Number) };
  const an = { userName: `an@${center.code}`, name: '安', departmentId: 7, remark: 'night shift' };
  expect(succeeded).toEqual([
    { ...person, ...always, ...times, ...an },
    { ...person, ...always, ...times, userName: `Bo@${center.code}`, name: 'Bo' },
    { ...person, ...always, ...times, userName: `cy@${center.code}`, name: 'Cy' },
  ]);
  const listed = (await center.list()).slice(0, 4).map(({ userName }) => userName.split('@')[0]);
  expect(listed).toEqual(['cy', 'Bo', 'an', 'kim']);
  const recorded = (await center.audit())
    .slice(0, 4)
    .map(({ targetGlobalId, detail }) => [targetGlobalId, detail.after?.userName]);
  expect(recorded.slice(0, 3)).toEqual(
    succeeded.map(({ globalId, userName }) => [globalId, userName.split('@')[0]]).toReversed(),
  );
  expect(recorded[3]).toEqual([expect.any(String), 'kim']);
  expect(JSON.stringify(answer.body)).not.toContain('correct horse');
});

it('the first of two with one account fails: the second is added', async () => {
  const answer = await center.submitAdd(listOf({ userName: 'twin', name: '' }, { userName: 'twin', name: 'Twin' }));
  expect(answer).toMatchObject({ status: 200, body: { code: '60027' } });
  expect(addedOf(answer).succeeded).toMatchObject([{ name: 'Twin' }]);
  expect(failuresOf(answer)).toEqual([['twin', 'userList[0].name', 'name_missing']]);
});

it('a failed account is returned as it was sent, with its blanks', async () => {
  const before = await contents();
  const answer = await center.submitAdd(listOf({ userName: ' kim ' }));
  expect(answer).toMatchObject({ status: 299, body: { code: '80001', cause: 'account_taken' } });
  expect(failuresOf(answer)).toEqual([[' kim ', 'userList[0].userName', 'account_taken']]);
  expect(await contents()).toEqual(before);
});

it('a failed account is truncated if it is longer than any account can be', async () => {
  const userName = '😀'.repeat(100_000);
  const { body } = await center.submitAdd([newEmployee({ userName })]);
  const [failed] = body.data.failed;
  expect(failed.userName).toBe(`${'😀'.repeat(254)}…`);
  expect(JSON.stringify(body).length).toBeLessThan(2_000);
});

it('employees who fail for another reason do not use up the limit', async () => {
  const full = await MemberCenter.open(stack, center.api);
  await full.add(...listOf({}, {}, { userName: 'lee' }));
  const answer = await full.submitAdd(
    listOf(
      { userName: 'lee' },
      { userName: 'a1' },
      { userName: 'bad', password: '' },
      { userName: 'a1' },
      { userName: 'a2' },
      { userName: 'a3' },
      { userName: 'lee' },
      { userName: 'a4', name: '' },
    ),
  );
  const message = buildMessage('some_employees_failed', 6, 8);
  expect(answer).toMatchObject({ status: 200, body: { code: '60027', message } });
  expect(addedOf(answer).succeeded.map(({ userName }) => userName)).toEqual([`a1@${full.code}`, `a2@${full.code}`]);
  expect(failuresOf(answer)).toEqual([
    ['lee', 'userList[0].userName', 'account_taken'],
    ['bad', 'userList[2].password', 'password_missing'],
    ['a1', 'userList[3].userName', 'account_taken'],
    ['a3', 'userList[5]', 'trial_employees_exhausted'],
    ['lee', 'userList[6].userName', 'account_taken'],
    ['a4', 'userList[7].name', 'name_missing'],
  ]);
  expect((await full.list()).length).toBe(2 + 5);
});

describe('all fail: HTTP 299 with the code of the first', () => {
  const FIRST: [code: string, cause: Cause, fields: Sent][] = [
    ['80001', 'account_taken', { userName: 'kim' }],
    ['40009', 'group_id_missing', { departmentId: ' ' }],
    ['40000', 'field_invalid', { name: 'a\nb' }],
  ];

  it.each(FIRST)('%s %s', async (code, cause, fields) => {
    const before = await contents();
    const userList = listOf({ userName: 'first', ...fields }, { userName: 'k_m' }, { userName: 'kim' });
    const answer = await center.submitAdd(userList);
    expect(refusalOf(answer)).toMatchObject({ code, cause });
    const { succeeded, failed } = addedOf(answer);
    expect(succeeded).toEqual([]);
    expect(failed[0]).toMatchObject({ userName: fields.userName ?? 'first', message: answer.body.message });
    expect(failuresOf(answer).slice(1)).toEqual([
      ['k_m', 'userList[1].userName', 'account_malformed'],
      ['kim', 'userList[2].userName', 'account_taken'],
    ]);
    expect(await contents()).toEqual(before);
  });
});

describe('the whole call is refused with 40000, and no employee is added, for', () => {
  const TYPES: [path: string, value: unknown, cause: Cause][] = [
    ['userList[1]', null, 'field_missing'],
    ['userList[1]', 'kim', 'field_invalid'],
    ['userList[1].userName', 5, 'field_invalid'],
    ['userList[1].password', 12345678, 'field_invalid'],
    ['userList[1].departmentId', '7', 'field_invalid'],
    ['userList[1].name', true, 'field_invalid'],
    ['userList[1].passwordMobile', 13800000000, 'field_invalid'],
  ];

  it.each(TYPES)('%s that is %j', async (path, value, cause) => {
    const before = await contents();
    // Beside two employees who could be added, and one who would fail alone.
    const body = put({ userList: listOf({}, {}, {}, { name: '' }) }, path, value);
    const answer = await center.submitAdd(body.userList);
    const refusal = refusalOf(answer);
    expect(refusal).toMatchObject({ code: '40000', cause });
    expect(pathIn(refusal.message)).toBe(path);
    expect(answer.body).not.toHaveProperty('data');
    expect(await contents()).toEqual(before);
  });

  it('a wrong type behind other faults, by its own path', async () => {
    const before = await contents();
    const answer = await center.submitAdd(listOf({ userName: '' }, { userName: '', password: 'x', remark: 5 }));
    const { code, cause, faults } = refusalOf(answer);
    expect([code, cause]).toEqual(['40000', 'field_invalid']);
    expect(faults!.map(({ path }) => path)).toEqual([
      'userList[1].remark',
      'userList[1].userName',
      'userList[1].password',
    ]);
    expect(answer.body).not.toHaveProperty('data');
    expect(await contents()).toEqual(before);
  });
});

it('a departmentId below zero has the right type: only its employee fails', async () => {
  const empty = await MemberCenter.open(stack, center.api);
  const answer = await empty.submitAdd(listOf({ userName: 'below', departmentId: -1 }, { name: 'Above' }));
  expect(answer).toMatchObject({ status: 200, body: { code: '60027' } });
  expect(addedOf(answer).succeeded).toMatchObject([{ name: 'Above' }]);
  expect(failuresOf(answer)).toEqual([['below', 'userList[0].departmentId', 'field_invalid']]);
});

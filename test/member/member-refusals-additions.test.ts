import { AddedEmployees, type Cause } from '@lockstep/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, refusalOf } from '../harness/api.ts';
import { contentOfTables } from '../harness/databases/tables.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { put } from '../harness/orders/faults.ts';
import type { Sent } from '../harness/orders/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';

/**
 * M1 of several employees, some or all of whom cannot be added: the answer says exactly who failed and why, and who was
 * added (interface M1; rules 1 and 8). A value of the wrong type refuses the whole call.
 */
let stack: Stack;
let center: MemberCenter;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  center = await MemberCenter.open(stack);
});
afterAll(() => stack.close());

/**
 * Reads what must not change. Nonces, tokens and failed logins are left out: calls use up the first, the sweep the
 * others.
 */
async function contents() {
  const { access_token: _tokens, login_failure: _failures, ...others } = await contentOfTables(stack.db);
  return others;
}

/** Employees as they are sent, with a new account if none is given. */
const listOf = (...userList: Sent[]) => userList.map(newEmployee);

/** The data of an answer, held against the contract. */
const addedOf = ({ body }: Answer) => z.strictObject(AddedEmployees.shape).parse(body.data);

const accountRule = 'must be letters A-Z a-z and digits only, and with the enterprise code fewer than 63 characters';
const taken = 'another employee of the enterprise has this account.';
const long = 'k'.repeat(62);

it('some of whom fail: HTTP 200 with 60027, who failed and why in order, and who was added', async () => {
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
    message: '12 of 15 employees could not be added; data says which.',
    data: expect.anything(),
  });
  const { succeeded, failed } = addedOf(answer);
  expect(failed).toMatchObject([
    { userName: 'long', message: 'userList[1].name: must be at most 30 characters' },
    { userName: 'k_m', message: `userList[2].userName: ${accountRule}` },
    { userName: 'short', message: 'userList[4].password: must be 8 to 32 characters' },
    { userName: 'kim', message: `userList[5].userName: ${taken}` },
    { userName: 'an', message: `userList[6].userName: ${taken}` },
    { userName: 'control', message: 'userList[7].name: must not hold control characters' },
    { userName: '', message: 'userList[8].userName: is required' },
    { userName: '', message: 'userList[9].userName: is required (and 2 more faults)' },
    {
      userName: 'mobile',
      message:
        'userList[10].passwordMobile: must be a mobile number without blanks: 11 digits that begin with 13 to 19, or + and up to 15 digits',
    },
    { userName: 'remark', message: 'userList[11].remark: must be at most 200 characters' },
    { userName: 'department', message: 'userList[12].departmentId: must not be empty' },
    { userName: long, message: `userList[13].userName: ${accountRule}` },
  ]);

  expect(failed.map(({ index, cause, code }) => [index, cause, code])).toEqual([
    [1, 'name_too_long', '30002'],
    [2, 'account_malformed', '10003'],
    [4, 'password_length', '50003'],
    [5, 'account_taken', '80001'],
    [6, 'account_taken', '80001'],
    [7, 'field_invalid', '40000'],
    [8, 'account_missing', '40008'],
    [9, 'account_missing', '40008'],
    [10, 'mobile_invalid', '10004'],
    [11, 'remark_too_long', '30003'],
    [12, 'group_id_missing', '40009'],
    [13, 'account_malformed', '10003'],
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
  const { succeeded, failed } = addedOf(answer);
  expect(succeeded).toMatchObject([{ name: 'Twin' }]);
  expect(failed).toMatchObject([{ userName: 'twin', message: 'userList[0].name: is required' }]);
});

it('the account of one who fails is returned as it was sent, blanks and all', async () => {
  const before = await contents();
  const answer = await center.submitAdd(listOf({ userName: ' kim ' }));
  expect(answer).toMatchObject({ status: 299, body: { code: '80001', cause: 'account_taken' } });
  expect(addedOf(answer).failed).toMatchObject([{ userName: ' kim ', message: `userList[0].userName: ${taken}` }]);
  expect(await contents()).toEqual(before);
});

it('the account of one who fails is cut if it is longer than any account can be', async () => {
  const userName = '😀'.repeat(100_000);
  const { body } = await center.submitAdd([newEmployee({ userName })]);
  const [failed] = body.data.failed;
  expect(failed.userName).toBe(`${'😀'.repeat(254)}…`);
  expect(JSON.stringify(body).length).toBeLessThan(2_000);
});

it('if there is room for some, those who fail for another reason take none of it', async () => {
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
  expect(answer).toMatchObject({ status: 200, body: { code: '60027', message: expect.stringMatching(/^6 of 8 /) } });
  const { succeeded, failed } = addedOf(answer);
  expect(succeeded.map(({ userName }) => userName)).toEqual([`a1@${full.code}`, `a2@${full.code}`]);
  expect(failed).toMatchObject([
    { userName: 'lee', message: `userList[0].userName: ${taken}` },
    { userName: 'bad', message: 'userList[2].password: is required' },
    { userName: 'a1', message: `userList[3].userName: ${taken}` },
    {
      userName: 'a3',
      message: 'userList[5]: without a cloud license an enterprise may have at most 5 employees beside its first ones.',
    },
    { userName: 'lee', message: `userList[6].userName: ${taken}` },
    { userName: 'a4', message: 'userList[7].name: is required' },
  ]);
  expect((await full.list()).length).toBe(2 + 5);
});

describe('all of whom fail: HTTP 299 with the code of the first', () => {
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
    expect(failed).toMatchObject([
      { userName: fields.userName ?? 'first', message: answer.body.message },
      { userName: 'k_m', message: `userList[1].userName: ${accountRule}` },
      { userName: 'kim', message: `userList[2].userName: ${taken}` },
    ]);
    expect(await contents()).toEqual(before);
  });

  it('100 of them, each with a message of its own', async () => {
    const before = await contents();
    const accounts = Array.from({ length: 100 }, (_, index) => `many${index}`);
    const answer = await center.submitAdd(listOf(...accounts.map((userName) => ({ userName, name: '' }))));
    expect(refusalOf(answer)).toMatchObject({ code: '40022', cause: 'name_missing' });
    expect(addedOf(answer).failed).toMatchObject(
      accounts.map((userName, index) => ({ userName, message: `userList[${index}].name: is required` })),
    );
    expect(await contents()).toEqual(before);
  });
});

describe('the whole call is refused with 40000, and nobody is added, for', () => {
  const TYPES: [path: string, value: unknown, says: string][] = [
    ['userList[1]', null, 'is required'],
    ['userList[1]', 'kim', 'must be an object: {...}'],
    ['userList[1]', ['kim'], 'must be an object: {...}'],
    ['userList[1].userName', 5, 'must be a string, such as "12"'],
    ['userList[1].userName', { name: 'kim' }, 'must be a string, such as "12"'],
    ['userList[1].password', 12345678, 'must be a string, such as "12"'],
    ['userList[1].password', ['correct horse'], 'must be a string, such as "12"'],
    ['userList[1].departmentId', '7', 'must be a number, such as 12'],
    ['userList[1].departmentId', false, 'must be a number, such as 12'],
    ['userList[1].name', true, 'must be a string, such as "12"'],
    ['userList[1].remark', 0, 'must be a string, such as "12"'],
    ['userList[1].passwordMobile', 13800000000, 'must be a string, such as "12"'],
  ];

  it.each(TYPES)('%s that is %j', async (path, value, says) => {
    const before = await contents();
    // Beside two who could be added, and one who fails alone.
    const body = put({ userList: listOf({}, {}, {}, { name: '' }) }, path, value);
    const answer = await center.submitAdd(body.userList);
    expect(refusalOf(answer)).toMatchObject({ code: '40000', message: `${path}: ${says}` });
    expect(answer.body).not.toHaveProperty('data');
    expect(await contents()).toEqual(before);
  });

  it('a wrong type behind faults of contents, by its own path', async () => {
    const before = await contents();
    const answer = await center.submitAdd(listOf({ userName: '' }, { userName: '', password: 'x', remark: 5 }));
    const message = 'userList[1].remark: must be a string, such as "12" (and 2 more faults)';
    expect(refusalOf(answer)).toMatchObject({ code: '40000', cause: 'field_invalid', message });
    expect(answer.body).not.toHaveProperty('data');
    expect(await contents()).toEqual(before);
  });
});

it('a departmentId below zero is of the right type: it is the failure of its employee alone', async () => {
  const empty = await MemberCenter.open(stack, center.api);
  const answer = await empty.submitAdd(listOf({ userName: 'below', departmentId: -1 }, { name: 'Above' }));
  expect(answer).toMatchObject({ status: 200, body: { code: '60027' } });
  const { succeeded, failed } = addedOf(answer);
  expect(succeeded).toMatchObject([{ name: 'Above' }]);
  expect(failed).toMatchObject([{ userName: 'below', message: 'userList[0].departmentId: must not be negative' }]);
});

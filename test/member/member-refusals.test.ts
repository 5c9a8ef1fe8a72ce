import { randomUUID } from 'node:crypto';
import { AddedEmployees, buildMessage, type Cause, codeOf, MAX_BODY_BYTES } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, dataOf, pathIn, refusalOf } from '../harness/api.ts';
import { contentWithoutLogins } from '../harness/databases/tables.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { BODY_FAULTS, type FaultCase, faultCases, put, TEXT_FAULTS } from '../harness/orders/faults.ts';
import type { Sent } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';
import { openWithCalls } from './valid-calls.ts';

/**
 * Every operation of the member center with a body or query refuses every fault of every field with the field's path,
 * and 40000 or the field's own code; M1 to M4 refuse what the enterprise doesn't allow (rules 1, 4 and 8). Nothing
 * changes. At the end, each operation accepts the same call without faults. For refusals of callers, see
 * member-access.test.ts; for M6 to M10, holdings.test.ts.
 */

const { stack } = await testStack({ worker: false });
const contents = () => contentWithoutLogins(stack.db);
const { center, kim, calls, call } = await openWithCalls(stack);
/** Another enterprise. */
const neighbor = await MemberCenter.open(stack, center.api);
const gone = (await center.add())[0]!.globalId;
dataOf(await center.delete(gone));
/** A third enterprise, for M1 of several employees. */
const adding = await MemberCenter.open(stack, center.api);
let tables = await contents();

interface Operation {
  name: string;
  bodyFields?: Record<string, keyof typeof BODY_FAULTS>;
  queryFields?: Record<string, keyof typeof TEXT_FAULTS>;
  /** Lists in the body, with the number of elements that is too many. */
  lists?: Record<string, number>;
}

const OPERATIONS: Operation[] = [
  {
    name: 'M1',
    bodyFields: {
      userList: 'userList',
      'userList[0]': 'element',
      'userList[0].userName': 'newAccount',
      'userList[0].password': 'password',
      'userList[0].departmentId': 'newDepartment',
      'userList[0].name': 'newName',
      'userList[0].remark': 'remark',
      'userList[0].passwordMobile': 'mobile',
    },
    lists: { userList: 101 },
  },
  {
    name: 'M2',
    bodyFields: {
      userName: 'account',
      departmentId: 'department',
      name: 'name',
      remark: 'remark',
      passwordMobile: 'mobile',
    },
  },
  { name: 'M3', bodyFields: { password: 'password' } },
  {
    name: 'M5',
    queryFields: { pageNum: 'page', pageSize: 'pageSize', departmentId: 'department', keyword: 'optionalText' },
  },
  {
    name: 'M9',
    bodyFields: {
      deleteAssets: 'list',
      'deleteAssets[0]': 'assetNumInList',
      addAssets: 'list',
      'addAssets[1]': 'assetNumInList',
    },
    lists: { deleteAssets: 1_001, addAssets: 1_001 },
  },
  {
    name: 'M10',
    bodyFields: { borrowedUsbKey: 'assetNum', assetIDs: 'filledList', 'assetIDs[1]': 'id' },
    lists: { assetIDs: 1_001 },
  },
  { name: 'the audit log', queryFields: { pageNum: 'page', pageSize: 'pageSize' } },
];

/** Makes a call with an unchanged query and no body. */
async function callRaw(name: string, query: URLSearchParams): Promise<Answer> {
  const { method, path } = calls[name]!;
  const { userToken } = center;
  const { token, baseUrl } = center.api;
  const response = await fetch(`${baseUrl}/me/api/v1${path}?${query}`, {
    method,
    headers: { authorization: `Bearer ${token}`, clientToken: token, userToken },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Returns a refusal's code and cause, and the field at the start of its message. */
function outcomeOf(answer: Answer) {
  const { code, cause, message } = refusalOf(answer);
  return { code, cause, path: pathIn(message) };
}

function expectRefused(answer: Answer, cause: Cause, path: string): void {
  expect(outcomeOf(answer)).toEqual({ code: codeOf(cause, 'member'), cause, path });
}

/** Sends each fault in a call of its own, all at once. */
async function expectAllRefused(faults: FaultCase[], callWith: (fault: FaultCase) => Promise<Answer>): Promise<void> {
  const outcomes = faults.map(async (each) => ({ fault: each.fault, ...outcomeOf(await callWith(each)) }));
  expect(await Promise.all(outcomes)).toEqual(
    faults.map(({ fault, cause, path }) => ({ fault, code: codeOf(cause, 'member'), cause, path })),
  );
}

const expectNothingChanged = async () => expect(await contents()).toEqual(tables);

describe.each(OPERATIONS)('$name refuses', ({ name, bodyFields = {}, queryFields = {}, lists = {} }) => {
  const { body, query: valid } = calls[name]!;
  it.each(Object.entries(bodyFields))('%s with every fault of its kind (%s)', async (field, kind) => {
    await expectAllRefused(faultCases({ [field]: kind }, BODY_FAULTS), ({ path, value }) =>
      call(name, { body: put(body!(), path, value) }),
    );
  });

  it.each(Object.entries(queryFields))('%s in the query with every fault (%s)', async (field, kind) => {
    await expectAllRefused(faultCases({ [field]: kind }, TEXT_FAULTS), ({ value }) => {
      const { [field]: _, ...others } = valid!;
      const query = value === undefined ? others : { ...others, [field]: value as string };
      return center.call('GET', calls[name]!.path, { query });
    });
  });

  it.each(Object.keys(queryFields))('%s that appears twice in the query', async (field) => {
    const query = new URLSearchParams({ ...valid, g_nonce: randomUUID() });
    query.append(field, valid![field]!);
    expectRefused(await callRaw(name, query), 'field_repeated', field);
  });

  it('two nonces', async () => {
    const query = new URLSearchParams({ ...valid, g_nonce: randomUUID() });
    query.append('g_nonce', randomUUID());
    expectRefused(await callRaw(name, query), 'nonce_malformed', 'g_nonce');
  });

  it.each(Object.entries(lists))('%s of %i elements or more, whatever they are', async (path, tooMany) => {
    const cause = path === 'userList' ? 'too_many_employees' : 'field_invalid';
    for (const [count, element] of [
      [tooMany, JSON.stringify((body!()[path] as unknown[])[0])],
      [tooMany, '0'],
      [40_000, '0'],
    ] as const) {
      const rawBody = JSON.stringify({ ...body!(), [path]: '?' });
      const list = `[${Array(count).fill(element).join()}]`;
      expectRefused(await call(name, { rawBody: rawBody.replace('"?"', list) }), cause, path);
    }
  });

  it('all of these and changes nothing', expectNothingChanged);
});

describe.each(OPERATIONS.filter((each) => each.bodyFields !== undefined))('$name refuses as its body', ({ name }) => {
  it.each<[body: string, cause: Cause]>([
    ['null', 'field_missing'],
    ['""', 'field_missing'],
    ['"text"', 'field_invalid'],
    ['5', 'field_invalid'],
    ['true', 'field_invalid'],
    ['[]', 'field_invalid'],
    ['[{}]', 'field_invalid'],
  ])('%s', async (rawBody, cause) => {
    expectRefused(await call(name, { rawBody }), cause, 'body');
  });

  it('a call without a body', async () => {
    const query = new URLSearchParams({ g_nonce: randomUUID() });
    expectRefused(await callRaw(name, query), 'field_missing', 'body');
  });

  it('all of these and changes nothing', expectNothingChanged);
});

it('a password of tabs is not empty, and is refused as invalid', async () => {
  // Passwords are never trimmed (rules 4).
  expectRefused(await center.resetPassword(kim, '\t'.repeat(9)), 'field_invalid', 'password');
});

it.each([
  ['json_malformed', '{"userList":[', {}],
  ['field_repeated', '{"userList":[],"userList":[]}', {}],
  ['content_type_unsupported', '{}', { 'content-type': 'text/plain' }],
  ['body_too_large', ' '.repeat(MAX_BODY_BYTES + 1), {}],
  ['json_too_deep', `{"userList":${'['.repeat(64)}${']'.repeat(64)}}`, {}],
  ['list_too_long', `{"userList":[{${'"name":"",'.repeat(100)}"name":""}]}`, {}],
])('a body with an early refusal gets 40000 as well: %s', async (cause, rawBody, headers) => {
  expect(refusalOf(await call('M1', { rawBody, headers }))).toMatchObject({ code: '40000', cause });
});

/** Employees that the enterprise doesn't have, as IDs in a path. */
const NOBODY: [who: string, memberId: string][] = [
  ['nobody', '999999999'],
  ['an employee of another enterprise', neighbor.cloudId],
  ['a deleted employee', gone],
  ['a leading zero in an ID', `0${kim}`],
  ['more than 63 bits', '9'.repeat(19)],
  ['an account', 'kim'],
  ['SQL', `${kim}' or '1'='1`],
  ['U+0000', '\0'],
];
const edit = (userName: string) => center.edit(kim, { userName, name: 'Kim' });
const add = (userName: string) => center.submitAdd([newEmployee({ userName })]);
const addToBlank = () => center.call('POST', '/enterprise/%20/member', { body: calls.M1!.body!() });

type Row = [what: string, cause: Cause, path: string | undefined, call: () => Promise<Answer>];
const FOR_NOBODY = NOBODY.flatMap(([who, memberId]): Row[] => [
  [`M2 of ${who}`, 'employee_not_found', undefined, () => center.edit(memberId, { userName: 'kim', name: 'Kim II' })],
  [`M3 of ${who}`, 'employee_not_found', undefined, () => center.resetPassword(memberId, 'battery staple')],
  [`M4 of ${who}`, 'employee_not_found', undefined, () => center.delete(memberId)],
]);

it.each<Row>([
  ...FOR_NOBODY,
  ['M1 of the account of another', 'account_taken', 'userList[0].userName', () => add('kim')],
  ['M1 of the account of the administrator', 'account_taken', 'userList[0].userName', () => add('admin')],
  ['M1 for a blank enterprise', 'group_id_missing', 'enterpriseGlobalId', addToBlank],
  ['M2 of another account', 'account_mismatch', 'userName', () => edit('kim2')],
  ['M2 of the account in different case', 'account_mismatch', 'userName', () => edit('KIM')],
  ['M2 of the account of a colleague', 'account_mismatch', 'userName', () => edit('admin')],
  ['M2 of the account with another code', 'account_mismatch', 'userName', () => edit('kim@zzzzz99')],
  [
    'M2 of 63 characters with the code',
    'account_malformed',
    'userName',
    () => edit('k'.repeat(63 - center.code.length)),
  ],
])('%s is refused with %s and changes nothing', async (_what, cause, path, call) => {
  expect(outcomeOf(await call())).toMatchObject({ code: codeOf(cause, 'member'), cause, ...(path && { path }) });
  await expectNothingChanged();
});

it.each(Object.keys(calls))('%s accepts the valid call, with unknown fields', async (name) => {
  const { method, body } = calls[name]!;
  // This list refuses unknown filters (rules 6.7).
  const query: Record<string, string> = name === 'the holdings' ? {} : { x: 'y' };
  dataOf(await call(name, { query, ...(body && { body: { ...body(), unknown: [1] } }) }));
  if (method !== 'GET') expect(await contents()).not.toEqual(tables);
  tables = await contents();
});

it('M4, which has no body, accepts a call with a content type', async () => {
  const [employee] = await neighbor.add();
  dataOf(await neighbor.delete(employee!.globalId, { headers: { 'content-type': 'application/json' } }));
});

// M1 with several employees, some or all of whom can't be added: the answer lists who failed, why, and who was added.

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
  await adding.add(newEmployee({ userName: 'kim' }));
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
  const answer = await adding.submitAdd(userList);
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

  const person = { enterpriseId: adding.enterpriseId, departmentId: null, departmentName: null, remark: null };
  const always = { id: expect.any(String), userId: expect.any(String), globalId: expect.any(String), deleted: false };
  const times = { createTime: expect.any(Number), updateTime: expect.any(Number) };
  const an = { userName: `an@${adding.code}`, name: '安', departmentId: 7, remark: 'night shift' };
  expect(succeeded).toEqual([
    { ...person, ...always, ...times, ...an },
    { ...person, ...always, ...times, userName: `Bo@${adding.code}`, name: 'Bo' },
    { ...person, ...always, ...times, userName: `cy@${adding.code}`, name: 'Cy' },
  ]);
  const listed = (await adding.list()).slice(0, 4).map(({ userName }) => userName.split('@')[0]);
  expect(listed).toEqual(['cy', 'Bo', 'an', 'kim']);
  const recorded = (await adding.audit())
    .slice(0, 4)
    .map(({ targetGlobalId, detail }) => [targetGlobalId, detail.after?.userName]);
  expect(recorded.slice(0, 3)).toEqual(
    succeeded.map(({ globalId, userName }) => [globalId, userName.split('@')[0]]).toReversed(),
  );
  expect(recorded[3]).toEqual([expect.any(String), 'kim']);
  expect(JSON.stringify(answer.body)).not.toContain('correct horse');
});

it('the first of two with one account fails: the second is added', async () => {
  const answer = await adding.submitAdd(listOf({ userName: 'twin', name: '' }, { userName: 'twin', name: 'Twin' }));
  expect(answer).toMatchObject({ status: 200, body: { code: '60027' } });
  expect(addedOf(answer).succeeded).toMatchObject([{ name: 'Twin' }]);
  expect(failuresOf(answer)).toEqual([['twin', 'userList[0].name', 'name_missing']]);
});

it('a failed account is returned as it was sent, with its blanks', async () => {
  const before = await contents();
  const answer = await adding.submitAdd(listOf({ userName: ' kim ' }));
  expect(answer).toMatchObject({ status: 299, body: { code: '80001', cause: 'account_taken' } });
  expect(failuresOf(answer)).toEqual([[' kim ', 'userList[0].userName', 'account_taken']]);
  expect(await contents()).toEqual(before);
});

it('a failed account is truncated if it is longer than any account can be', async () => {
  const userName = '😀'.repeat(100_000);
  const { body } = await adding.submitAdd([newEmployee({ userName })]);
  const [failed] = body.data.failed;
  expect(failed.userName).toBe(`${'😀'.repeat(254)}…`);
  expect(JSON.stringify(body).length).toBeLessThan(2_000);
});

it('employees who fail for another reason do not use up the limit', async () => {
  const full = await MemberCenter.open(stack, center.api);
  await full.add(...listOf({}, {}, { userName: 'lee' }));
  const answer = await full.submitAdd(
    listOf(
      ...[{ userName: long }, { userName: 'a1' }, { userName: 'bad', password: '' }, { userName: 'a1' }],
      ...[{ userName: 'a2' }, { userName: 'a3' }, { userName: 'lee' }],
      { userName: 'a4', name: '' },
    ),
  );
  const message = buildMessage('some_employees_failed', 6, 8);
  expect(answer).toMatchObject({ status: 200, body: { code: '60027', message } });
  expect(addedOf(answer).succeeded.map(({ userName }) => userName)).toEqual([`a1@${full.code}`, `a2@${full.code}`]);
  expect(failuresOf(answer)).toEqual([
    [long, 'userList[0].userName', 'account_malformed'],
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
    const answer = await adding.submitAdd(userList);
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
    const answer = await adding.submitAdd(body.userList);
    const refusal = refusalOf(answer);
    expect(refusal).toMatchObject({ code: '40000', cause });
    expect(pathIn(refusal.message)).toBe(path);
    expect(answer.body).not.toHaveProperty('data');
    expect(await contents()).toEqual(before);
  });

  it('a wrong type behind other faults, by its own path', async () => {
    const before = await contents();
    const answer = await adding.submitAdd(listOf({ userName: '' }, { userName: '', password: 'x', remark: 5 }));
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

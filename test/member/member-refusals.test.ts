import { randomUUID } from 'node:crypto';
import { type Cause, codeOf, MAX_BODY_BYTES } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { type Answer, dataOf, pathIn, refusalOf } from '../harness/api.ts';
import { contentWithoutLogins } from '../harness/databases/tables.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { BODY_FAULTS, type FaultCase, faultCases, put, TEXT_FAULTS } from '../harness/orders/faults.ts';
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

describe.each(OPERATIONS.filter((each) => each.bodyFields !== undefined))('$name refuses as its body', (operation) => {
  const { name, bodyFields } = operation;
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

  it('a list of valid bodies', async () => {
    expectRefused(await call(name, { body: [calls[name]!.body!()] }), 'field_invalid', 'body');
  });

  it('an empty object, by the path of its first field', async () => {
    const [[first, kind]] = Object.entries(bodyFields!) as [[string, keyof typeof BODY_FAULTS]];
    const missing = faultCases({ [first]: kind }, BODY_FAULTS).filter(({ fault }) => fault === 'missing');
    expect(missing).toHaveLength(1);
    await expectAllRefused(missing, () => call(name, { body: {} }));
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
  dataOf(await call(name, { query: { x: 'y' }, ...(body && { body: { ...body(), unknown: [1] } }) }));
  if (method !== 'GET') expect(await contents()).not.toEqual(tables);
  tables = await contents();
});

it('M4, which has no body, accepts a call with a content type', async () => {
  const [employee] = await neighbor.add();
  dataOf(await neighbor.delete(employee!.globalId, { headers: { 'content-type': 'application/json' } }));
});

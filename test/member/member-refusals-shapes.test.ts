import { randomUUID } from 'node:crypto';
import { type Cause, codeOf, MAX_BODY_BYTES } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { type Answer, dataOf, refusalOf } from '../harness/api.ts';
import { contentWithoutLogins } from '../harness/databases/tables.ts';
import { type MemberCallOptions, MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { BODY_FAULTS, type FaultCase, faultCases, put, TEXT_FAULTS } from '../harness/orders/faults.ts';
import type { Sent } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/**
 * Every operation of the member center with a body or query refuses every fault of every field with the field's path,
 * and 40000 or the field's own code (rules 1, 4 and 8). Nothing changes. At the end, each operation accepts the same
 * call without faults.
 */

const { stack } = await testStack({ worker: false });
const contents = () => contentWithoutLogins(stack.db);
const center = await MemberCenter.open(stack);
/** Everything that the valid calls name exists, so they would change something. */
const kim = (await center.add(newEmployee({ userName: 'kim' })))[0]!.globalId;
const [held, lendable, free] = await center.buy(3);
const lockNum = (await center.buyLocks())[0]!.assetNum;
await center.assign(kim, held!.assetNum, lendable!.assetNum);
let tables = await contents();

interface Operation {
  name: string;
  method: string;
  path: () => string;
  /** A valid body or query. */
  body?: () => Sent;
  query?: Record<string, string>;
  bodyFields?: Record<string, keyof typeof BODY_FAULTS>;
  queryFields?: Record<string, keyof typeof TEXT_FAULTS>;
  /** Lists in the body, with the number of elements that is too many. */
  lists?: Record<string, number>;
}

const enterprise = () => `/enterprise/${center.enterpriseId}`;
const EMPLOYEE = { name: 'Kim II', departmentId: 7, remark: 'night shift', passwordMobile: '13800000000' };
const PAGE = { pageNum: '1', pageSize: '10' };

const OPERATIONS: Operation[] = [
  {
    name: 'M1',
    method: 'POST',
    path: () => `${enterprise()}/member`,
    body: () => ({ userList: [newEmployee(EMPLOYEE)] }),
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
    method: 'PUT',
    path: () => `${enterprise()}/member/${kim}`,
    body: () => ({ userName: 'kim', ...EMPLOYEE }),
    bodyFields: {
      userName: 'account',
      departmentId: 'department',
      name: 'name',
      remark: 'remark',
      passwordMobile: 'mobile',
    },
  },
  {
    name: 'M3',
    method: 'PUT',
    path: () => `${enterprise()}/member/${kim}/resetPassword`,
    body: () => ({ password: 'battery staple' }),
    bodyFields: { password: 'password' },
  },
  {
    name: 'M5',
    method: 'GET',
    path: () => `${enterprise()}/members`,
    query: { ...PAGE, departmentId: '7', keyword: 'kim' },
    queryFields: { pageNum: 'page', pageSize: 'pageSize', departmentId: 'department', keyword: 'optionalText' },
  },
  {
    name: 'M9',
    method: 'POST',
    path: () => `/enterprise/member/${kim}/privileges`,
    body: () => ({ deleteAssets: [held!.assetNum], addAssets: [free!.assetNum, held!.assetNum] }),
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
    method: 'POST',
    path: () => `/enterprise/member/${kim}/borrow`,
    body: () => ({ borrowedUsbKey: lockNum, assetIDs: [held!.assetId, lendable!.assetId] }),
    bodyFields: { borrowedUsbKey: 'assetNum', assetIDs: 'filledList', 'assetIDs[1]': 'id' },
    lists: { assetIDs: 1_001 },
  },
  {
    name: 'The audit log',
    method: 'GET',
    path: () => `${enterprise()}/audit`,
    query: PAGE,
    queryFields: { pageNum: 'page', pageSize: 'pageSize' },
  },
];

/** Makes the valid call with changes. */
function call({ method, path, body, query }: Operation, options: MemberCallOptions = {}): Promise<Answer> {
  return center.call(method, path(), { ...(body && { body: body() }), ...(query && { query }), ...options });
}

/** Makes a call with an unchanged query or body. */
async function callRaw({ method, path }: Operation, query: URLSearchParams, init: RequestInit = {}): Promise<Answer> {
  const { userToken } = center;
  const { token, baseUrl } = center.api;
  const response = await fetch(`${baseUrl}/me/api/v1${path()}?${query}`, {
    ...init,
    method,
    headers: { authorization: `Bearer ${token}`, clientToken: token, userToken, ...init.headers },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Returns a refusal's code and cause, and the field at the start of its message. */
function outcomeOf(answer: Answer) {
  const { code, cause, message } = refusalOf(answer);
  return { code, cause, path: message.split(': ')[0] };
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

describe.each(OPERATIONS)('$name refuses', (operation) => {
  const { bodyFields = {}, queryFields = {}, lists = {} } = operation;
  it.each(Object.entries(bodyFields))('%s with every fault of its kind (%s)', async (field, kind) => {
    await expectAllRefused(faultCases({ [field]: kind }, BODY_FAULTS), ({ path, value }) =>
      call(operation, { body: put(operation.body!(), path, value) }),
    );
  });

  it.each(Object.entries(queryFields))('%s in the query with every fault (%s)', async (field, kind) => {
    await expectAllRefused(faultCases({ [field]: kind }, TEXT_FAULTS), ({ value }) => {
      const { [field]: _, ...others } = operation.query!;
      return call(operation, { query: value === undefined ? others : { ...others, [field]: value as string } });
    });
  });

  it.each(Object.keys(queryFields))('%s that appears twice in the query', async (name) => {
    const query = new URLSearchParams({ ...operation.query, g_nonce: randomUUID() });
    query.append(name, operation.query![name]!);
    expectRefused(await callRaw(operation, query), 'field_repeated', name);
  });

  it('two nonces', async () => {
    const query = new URLSearchParams({ ...operation.query, g_nonce: randomUUID() });
    query.append('g_nonce', randomUUID());
    expectRefused(await callRaw(operation, query), 'nonce_malformed', 'g_nonce');
  });

  it.each(Object.entries(lists))('%s of %i elements or more, whatever they are', async (path, tooMany) => {
    const cause = path === 'userList' ? 'too_many_employees' : 'field_invalid';
    for (const [count, element] of [
      [tooMany, JSON.stringify((operation.body!()[path] as unknown[])[0])],
      [tooMany, '0'],
      [40_000, '0'],
    ] as const) {
      const rawBody = JSON.stringify({ ...operation.body!(), [path]: '?' });
      const list = `[${Array(count).fill(element).join()}]`;
      expectRefused(await call(operation, { rawBody: rawBody.replace('"?"', list) }), cause, path);
    }
  });

  it('all of these and changes nothing', expectNothingChanged);
});

describe.each(OPERATIONS.filter(({ body }) => body !== undefined))('$name refuses as its body', (operation) => {
  it.each<[body: string, cause: Cause]>([
    ['null', 'field_missing'],
    ['""', 'field_missing'],
    ['"text"', 'field_invalid'],
    ['5', 'field_invalid'],
    ['true', 'field_invalid'],
    ['[]', 'field_invalid'],
    ['[{}]', 'field_invalid'],
  ])('%s', async (rawBody, cause) => {
    expectRefused(await call(operation, { rawBody }), cause, 'body');
  });

  it('a list of valid bodies', async () => {
    expectRefused(await call(operation, { body: [operation.body!()] }), 'field_invalid', 'body');
  });

  it('an empty object, by the path of its first field', async () => {
    const [[first, kind]] = Object.entries(operation.bodyFields!) as [[string, keyof typeof BODY_FAULTS]];
    const missing = faultCases({ [first]: kind }, BODY_FAULTS).filter(({ fault }) => fault === 'missing');
    expect(missing).toHaveLength(1);
    await expectAllRefused(missing, () => call(operation, { body: {} }));
  });

  it('a call without a body', async () => {
    const query = new URLSearchParams({ g_nonce: randomUUID() });
    expectRefused(await callRaw(operation, query), 'field_missing', 'body');
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
  expect(refusalOf(await call(OPERATIONS[0]!, { rawBody, headers }))).toMatchObject({ code: '40000', cause });
});

describe.each(OPERATIONS)('$name accepts', (operation) => {
  it('the valid call, with unknown fields', async () => {
    const { body, query } = operation;
    const options = {
      ...(body && { body: { ...body(), unknown: [1] } }),
      ...(query && { query: { ...query, x: 'y' } }),
    };
    dataOf(await call(operation, options));
    const changesSomething = operation.method !== 'GET';
    if (changesSomething) expect(await contents()).not.toEqual(tables);
    tables = await contents();
  });
});

it('M4, which has no body, accepts a call with a content type', async () => {
  const headers = { 'content-type': 'application/json' };
  dataOf(await center.delete(kim, { headers }));
});

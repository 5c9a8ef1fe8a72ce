import { randomUUID } from 'node:crypto';
import { findOperation, type OperationId, operations } from '@lockstep/contract';
import { CONSOLE_API_ROOT, consoleOperations } from '@lockstep/contract/console';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pathIn } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { batchOf, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** PostgreSQL stores no U+0000. A call that contains it anywhere is refused, and doesn't cause a fault (rules 4). */

const { stack, api } = await testStack({ worker: false });
const center = await MemberCenter.open(stack, api);
const admin = await ConsoleClient.logIn(stack, 'admin');

/** Values that a well-behaved client never sends. Tabs and line breaks are also white space. */
const CONTROLS = ['\u0000', 'a\u0000b', 'a\u0007b', 'a\u007fb', 'a\u0085b', 'a\tb', 'a\nb'];

interface Input {
  id: string;
  method: string;
  path: string;
  where: 'path' | 'query';
  name: string;
}

/** Returns every path and query parameter of some operations, from the contract's table. */
function inputsOf(
  table: Record<string, { method: string; path: string; params?: z.ZodType; query?: z.ZodType }>,
): Input[] {
  return Object.entries(table).flatMap(([id, { method, path, params, query }]) => {
    const inPath = Object.keys(params instanceof z.ZodObject ? params.shape : {});
    const inQuery = Object.keys(query instanceof z.ZodObject ? query.shape : {});
    return [
      ...inPath.map((name): Input => ({ id, method, path, where: 'path', name })),
      ...inQuery.map((name): Input => ({ id, method, path, where: 'query', name })),
    ];
  });
}

/** Returns the address of a call with the value in one parameter and harmless values in the others. */
function addressOf({ path, where, name }: Input, value: string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, each: string) => {
    if (where === 'path' && each === name) return encodeURIComponent(value);
    return each === 'enterpriseGlobalId' ? center.enterpriseId : '1';
  });
  const query = new URLSearchParams({ g_nonce: randomUUID(), ...(where === 'query' ? { [name]: value } : {}) });
  return `${filled}?${query}`;
}

/** A valid body, for operations that check it before the query. */
const body = JSON.stringify({
  ...batchOf(newBuy({ customerId: '1', channelCustomerId: '1', enterpriseGlobalId: '1' }, ['A'])),
  privileges: [{ memberGlobalId: '1', deleteAssets: [], addAssets: [] }],
});

async function ask(address: string, method: string, headers: Record<string, string>) {
  const type = method === 'POST' || method === 'PUT' ? { 'content-type': 'application/json' } : {};
  const response = await fetch(stack.baseUrl + address, {
    method,
    headers: { ...headers, ...type },
    ...(method === 'POST' || method === 'PUT' ? { body } : {}),
  });
  return {
    status: response.status,
    answer: (await response.json()) as { code: string | number; message: string; faults?: { path: string }[] },
  };
}

/** The member center refuses any malformed name of an enterprise, an employee or an asset as unknown (rules 8). */
const OPAQUE = ['enterpriseGlobalId', 'memberGlobalId', 'assetId'];
/** In searches, tabs and line breaks count as a blank. */
const SEARCHES = [
  ...['search.text', 'listEnterprises.text', 'listCustomers.text', 'listCustomers.name', 'listEmployees.text'],
  ...['listApplications.search', 'listChannels.search'],
];

const isBlank = ({ id, name }: Input, value: string) => SEARCHES.includes(`${id}.${name}`) && /[\t\n]/.test(value);

function expectRefused(
  { name, id }: Input,
  value: string,
  status: number,
  answer: Awaited<ReturnType<typeof ask>>['answer'],
): void {
  const what = `${id} ${name} ${JSON.stringify(value)} ${JSON.stringify(answer)}`;
  expect(answer.code, what).not.toBe('500');
  expect([299, 400, 404], what).toContain(status);
  expect(answer.code, what).not.toBe(0);
}

describe('the interface', () => {
  const inputs = inputsOf(operations).filter(({ id }) => id !== 'issueToken');

  it('has such inputs', () => {
    expect(inputs.length).toBeGreaterThan(80);
  });

  it.each(inputs)('$id refuses them in $name of its $where', async (input) => {
    const { module } = findOperation(input.id as OperationId);
    const headers = {
      authorization: `Bearer ${api.token}`,
      ...(module === 'member' && { clientToken: api.token, userToken: center.userToken }),
    };
    for (const value of CONTROLS.filter((each) => !isBlank(input, each))) {
      const { status, answer } = await ask(addressOf(input, value), input.method, headers);
      expectRefused(input, value, status, answer);
      const isOpaque = module === 'member' && input.where === 'path' && OPAQUE.includes(input.name);
      if (isOpaque) continue;
      // The nonce is checked before the content, and its refusal has only a message.
      const paths = [pathIn(answer.message), ...(answer.faults ?? []).map((fault) => fault.path)];
      expect(paths, JSON.stringify(answer)).toContain(input.name);
    }
  });
});

describe('the console', () => {
  const inputs = inputsOf(consoleOperations);

  it('has such inputs', () => {
    expect(inputs.length).toBeGreaterThan(60);
  });

  it.each(inputs)('$id refuses them in $name of its $where', async (input) => {
    const headers = { cookie: admin.cookie, 'x-lockstep-console': 'user' };
    const { path, ...rest } = input;
    for (const value of CONTROLS.filter((each) => !isBlank(input, each))) {
      const address = addressOf({ ...rest, path: `${CONSOLE_API_ROOT}${path}` }, value);
      const { status, answer } = await ask(address, input.method, headers);
      expectRefused(input, value, status, answer);
      expect(answer.faults?.map((fault) => fault.path) ?? [], JSON.stringify(answer)).toContain(input.name);
    }
  });

  it('lists each search by its position in the table', () => {
    expect([...inputs, ...inputsOf(operations)].map(({ id, name }) => `${id}.${name}`)).toEqual(
      expect.arrayContaining(SEARCHES),
    );
  });

  it('refuses an impossible name at login', async () => {
    const body = { name: 'a\u0000b', password: 'correct horse battery' };
    const answer = await admin.send('logIn', { body });
    expect([answer.status, answer.body.cause, pathIn(answer.body.message)]).toEqual([400, 'field_invalid', 'name']);
  });
});

describe('the search of the console', () => {
  it('reads cells pasted from a spreadsheet as text with blanks, and trims it', async () => {
    const assetNum = `cell ${randomUUID()}`;
    await api.carryOut(newBuy(await api.newCustomer(), [assetNum]));
    const pasted = [`  ${assetNum}\t`, `\n${assetNum.replace(' ', '\t')}\r\n`, `${assetNum.replace(' ', ' \r\n\t ')}`];
    for (const text of pasted) {
      const { hits } = await admin.call('search', { query: { text } });
      expect(hits).toEqual([expect.objectContaining({ kind: 'asset', id: assetNum })]);
    }
  });

  it('keeps several blanks between words', async () => {
    const assetNum = `two  blanks ${randomUUID()}`;
    await api.carryOut(newBuy(await api.newCustomer(), [assetNum]));
    expect((await admin.call('search', { query: { text: assetNum } })).hits).toHaveLength(1);
  });
});

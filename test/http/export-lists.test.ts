import { randomUUID } from 'node:crypto';
import { buildPath, findOperation, type Operation, type OperationId, operations } from '@lockstep/contract';
import {
  type ConsoleOperation,
  type ConsoleOperationId,
  consoleOperations,
  consolePath,
  findConsoleOperation,
} from '@lockstep/contract/console';
import { expect, it, vi } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/**
 * Every list (rules 1.1): each of two applications, with an enterprise each, gets in both formats what its pages have,
 * and so nothing of the other.
 */

const { stack } = await testStack({ worker: false, webhookAllowPrivate: true });
const admin = await ConsoleClient.logIn(stack, 'admin');
const worlds = [await furnish('ours'), await furnish('theirs')];

async function furnish(word: string) {
  const center = await MemberCenter.open(stack);
  const { api, customer } = center;
  const [kim] = await center.add(newEmployee({ name: `=Kim of ${word}` }), newEmployee());
  const [asset] = await center.buy(word === 'ours' ? 2 : 3);
  const [lock] = await center.buyLocks(1);
  await api.carryOut(newBuy(customer, [newAssetNum()], { licenseType: 'cloud_customer' }));
  await center.assign(kim!.globalId, asset!.assetNum);
  dataOf(await center.lend(kim!.globalId, lock!.assetNum, [asset!.assetId]));
  const failing = batchOf(
    newBuy({ ...customer, customerId: '1' }, [newAssetNum()]),
    newBuy({ ...customer, customerId: '2' }, [newAssetNum()]),
  );
  await api.accept(failing);
  const webhook = dataOf(await api.ask('createWebhook', { body: { url: 'https://127.0.0.1:9/hook' } }));
  dataOf(await api.call('POST', `/webhooks/${webhook.webhookId}/test`));
  await api.call('GET', '/licenseOrder/1');
  await vi.waitUntil(async () => dataOf(await api.ask('listRefusals')).refusals.length === 1, 10_000);
  const { channelCode, channelOrderId } = failing;
  const { appKey } = api.credentials;
  const { batches } = await admin.call('listAllBatches', { query: { appKey } });
  // Other applications see the assets and customers of all channels.
  const bound = await stack.newApi(['auth_order'], [word]);
  const bought = batchOf(newBuy(await bound.newCustomer(undefined, word), [newAssetNum()]));
  await bound.accept({ ...bought, channelCode: word, syncMode: 'sync' });
  return {
    center,
    bound,
    params: {
      enterpriseGlobalId: center.enterpriseId,
      assetNum: asset!.assetNum,
      assetId: asset!.assetId,
      memberGlobalId: kim!.globalId,
      webhookId: webhook.webhookId as string,
      batchId: batches[0]!.batchId,
    },
    queries: {
      getFailedOrders: { channelCode, channelOrderId },
      getBatchResult: { channelCode, channelOrderId },
      queryCustomers: { channelCode: 'crm', channelCustomerId: customer.channelCustomerId, defaultCustomer: 'N' },
    } as Partial<Record<OperationId, Record<string, string>>>,
  };
}

type Fetched = (accept: string, query: Record<string, string>) => Promise<Response>;

/** Returns the rows of all pages of two entries, or of the whole list. */
async function rowsOf(fetched: Fetched, { rows }: NonNullable<Operation['list']>, query: Record<string, string>) {
  const found: unknown[] = [];
  const size = { limit: '2', pageSize: '2' };
  for (let next: Record<string, string> | undefined = { pageNum: '1' }; next !== undefined; ) {
    const answer = (await (await fetched('application/json', { ...query, ...size, ...next })).json()) as {
      data: never;
    };
    const { data } = answer;
    found.push(...(Array.isArray(data) ? data : rows.flatMap((field) => data[field] as unknown[])));
    const { nextCursor, hasMore, lastId, hasNextPage, pageNum } = data as Record<string, unknown>;
    if (typeof nextCursor === 'string') next = { cursor: String(nextCursor), pageNum: '1' };
    else if (hasMore === true) next = { after: String(lastId) };
    else next = hasNextPage === true && nextCursor === undefined ? { pageNum: String(Number(pageNum) + 1) } : undefined;
  }
  return found;
}

async function expectSame(fetched: Fetched, list: NonNullable<Operation['list']>, query: Record<string, string>) {
  const rows = await rowsOf(fetched, list, query);
  const ndjson = await (await fetched('application/x-ndjson', query)).text();
  expect(
    ndjson
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  ).toEqual(rows);
  const csv = await (await fetched('text/csv', query)).text();
  const [heading = '', ...lines] = csv.split('\r\n').slice(0, -1);
  const columns = heading.split(',');
  expect(lines).toHaveLength(rows.length);
  // Every field with a value is in a column of its name, or of its parts.
  const names = new Set(
    rows.flatMap((row) => Object.entries(row as object).flatMap(([name, value]) => (value === null ? [] : [name]))),
  );
  expect([...names].filter((name) => !columns.some((column) => column.split('.')[0] === name))).toEqual([]);
  return rows;
}

const LISTS = (Object.keys(operations) as OperationId[]).filter((id) => findOperation(id).list !== undefined);
const CONSOLE_LISTS = (Object.keys(consoleOperations) as ConsoleOperationId[]).filter(
  (id) => findConsoleOperation(id).list !== undefined,
);

it.each(LISTS)('%s', async (id) => {
  const { list, query: schema, path } = findOperation(id);
  const all = [];
  for (const { center, bound, params, queries } of worlds) {
    const { userToken } = center;
    const api = id === 'listAssets' || id === 'listCustomers' ? bound : center.api;
    const headers = { authorization: `Bearer ${api.token}`, clientToken: api.token, userToken };
    const fetched: Fetched = (accept, query) => {
      const known = Object.entries(query).filter(([name]) => schema !== undefined && name in schema.shape);
      const search = new URLSearchParams([...known, ['g_nonce', randomUUID()]]);
      return fetch(`${api.baseUrl}${buildPath(id, params as never)}?${search}`, { headers: { ...headers, accept } });
    };
    all.push(await expectSame(fetched, list!, queries[id] ?? {}));
  }
  expect(
    all.map((rows) => rows.length > 0),
    path,
  ).toEqual([true, true]);
  expect(all[0]).not.toEqual(all[1]);
});

it.each(CONSOLE_LISTS)('%s of the console', async (id) => {
  const { list, query: schema }: ConsoleOperation = findConsoleOperation(id);
  const fetched: Fetched = (accept, query) => {
    const known = Object.entries(query).filter(
      ([name]) => schema !== undefined && name in (schema as Operation['query'])!.shape,
    );
    const url = `${admin.baseUrl}${consolePath(id, worlds[0]!.params)}?${new URLSearchParams(known)}`;
    return fetch(url, { headers: { cookie: admin.cookie, 'x-lockstep-console': 'user', accept } });
  };
  await expectSame(fetched, list!, {});
});

import { licenseOrderIdOf } from '@lockstep/assets';
import {
  type BatchId,
  BatchPage,
  type BatchResult,
  BatchSummary,
  type Customer,
  type FailureBody,
  ListedOrder,
  OrderPage,
} from '@lockstep/contract';
import { ListCursor } from '@lockstep/platform';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Api, dataOf, pathIn, readPages, refusalOf } from '../../harness/api.ts';
import { applicationIdOf } from '../../harness/databases/tables.ts';
import { firstLaneOf, newCustomersInLanes } from '../../harness/orders/lanes.ts';
import { batchOf, deleteAsset, deleteProduct, newAssetNum, newBuy, type Sent } from '../../harness/orders/orders.ts';
import { readResult } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

/** The lists of batches and orders (rules 6.7). Answers must match the contract in strict form. */
const strictBatches = z.strictObject({ ...BatchPage.shape, batches: z.array(z.strictObject(BatchSummary.shape)) });
const strictOrders = z.strictObject({ ...OrderPage.shape, orders: z.array(z.strictObject(ListedOrder.shape)) });

type Query = Record<string, string>;

const readBatches = async (api: Api, query: Query = {}): Promise<BatchPage> =>
  strictBatches.parse(dataOf(await api.ask('listBatches', { query })));
const readOrders = async (api: Api, query: Query = {}): Promise<OrderPage> =>
  strictOrders.parse(dataOf(await api.ask('listOrders', { query })));

const allBatches = async (api: Api, query: Query = {}) => {
  const pages = await readPages((cursor) => readBatches(api, { ...query, cursor }));
  return pages.flatMap(({ batches }) => batches.map((batch) => batch.channelOrderId));
};
const allOrders = async (api: Api, query: Query = {}) => {
  const pages = await readPages((cursor) => readOrders(api, { ...query, cursor }));
  return pages.flatMap(({ orders }) => orders.map((order) => order.licenseOrderId));
};

type Batch = Omit<ReturnType<typeof batchOf>, 'syncMode'> & { syncMode: string };
/** An order as other sources show it: the request, and its entry in the batch's result. */
type Known = BatchResult['orders'][number] & { batch: BatchSummary; allNums: string[] };

const assetNumsOf = (order: Sent) => (order.assets as { assetNos: string[] }[]).flatMap(({ assetNos }) => assetNos);
const summaryOf = ({
  orders: _,
  nextCursor: __,
  estimatedCompletionTime: ___,
  ...summary
}: BatchResult): BatchSummary => summary;

const { stack, api } = await testStack({ worker: false });

describe('of various batches', async () => {
  /** The number of an asset that is bought, transferred and bought again, and a number that only failed orders name. */
  const assetNum = newAssetNum();
  const neverBought = newAssetNum();
  /** A number that only a pending order names. */
  const awkward = `${newAssetNum()} "\\'`;
  /** Newest first. */
  let batches: BatchSummary[];
  let orders: Known[];

  const customers = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
  beforeAll(async () => {
    const sent = await tellStory();
    const results = await Promise.all(sent.map((batch) => readResult(api, batch)));
    batches = results.map(summaryOf).reverse();
    orders = results
      .flatMap((result, index) =>
        result.orders.map((order, place) => ({
          ...order,
          batch: summaryOf(result),
          allNums: assetNumsOf(sent[index]!.orderList[place]!),
        })),
      )
      .reverse();
  });

  function expectWrongCursor({ cause, message }: FailureBody): void {
    expect([cause, pathIn(message)]).toEqual(['field_invalid', 'cursor']);
  }

  /** Sends batches one after another, so that their order is known. Returns them. */
  async function tellStory(): Promise<Batch[]> {
    const [first, second] = customers;
    const sent: Batch[] = [];
    const send = async (syncMode: 'sync' | 'async', channelCode: string, ...orderList: Sent[]) => {
      const batch = { ...batchOf(...orderList), syncMode, channelCode };
      await api.accept(batch);
      sent.push(batch);
      return batch;
    };
    const worker = await stack.startWorker();
    await send('sync', 'test', newBuy(first, [assetNum, newAssetNum()]), newBuy(second, [newAssetNum()]));
    // Customers share a number, so each batch ends before the next.
    const process = async (channelCode: string, ...orderList: Sent[]) =>
      void (await api.completed(await send('async', channelCode, ...orderList)));
    await process('test', newBuy(first, [assetNum]), deleteProduct(first, [assetNum], { productUri: 'gms-404' }));
    await process('other', newBuy(second, [assetNum], {}, { transferedAssetNum: true }));
    await process('other', deleteAsset(first, [assetNum]), deleteAsset(second, [neverBought]));
    await process('test', deleteProduct(second, [assetNum]), deleteAsset(second, [assetNum]));
    await process('test', newBuy(second, [assetNum]), newBuy(second, [newAssetNum()]));
    await worker.close();
    // The batches below are pending, cancelled or half completed.
    await send('async', 'test', newBuy(first, [newAssetNum()]), newBuy(first, [newAssetNum()]));
    const cancelled = await send('async', 'test', newBuy(second, [assetNum]), newBuy(first, [newAssetNum()]));
    await api.cancel(cancelled);
    const half = await send('async', 'other', newBuy(first, [neverBought]), deleteAsset(second, [assetNum]));
    await failFirstOrder(half);
    await send('async', 'other', deleteAsset(second, [assetNum]), newBuy(second, [newAssetNum(), awkward]));
    await send('sync', 'other', newBuy(first, [newAssetNum()]));
    return sent;
  }

  /** Leaves the rows that a drain leaves when its first order failed and the next is still pending. */
  async function failFirstOrder({ channelOrderId }: Batch): Promise<void> {
    const { rows } = await sql<{ batch_id: string; lane: number; customer_id: string; content: string }>`
      select id as batch_id, lane, batch.customer_ids[1] as customer_id, payload as content from batch
      join lane_chunk on batch_id = id
      where channel_order_id = ${channelOrderId} and lane = ${firstLaneOf(customers[0].customerId)}`.execute(stack.db);
    const { batch_id, lane, customer_id, content } = rows[0]!;
    const id = licenseOrderIdOf(batch_id as BatchId, 0);
    await stack.db.transaction().execute(async (trx) => {
      await sql`
        insert into license_order (id, order_type, customer_id, cause, args, assets, products)
        values (${id}, 'new_buy', ${customer_id}, 'customer_not_found', '[]', 0, 0)`.execute(trx);
      await sql`
        insert into failed_order (license_order_id, payload_version, content, asset_nums)
        values (${id}, 1, ${content}, ${[neverBought]})`.execute(trx);
      await sql`
        update lane_chunk set payload = null, finished_time = statement_timestamp(), failed = 1
        where batch_id = ${batch_id} and lane = ${lane}`.execute(trx);
    });
  }

  it('has batches and orders in every state', () => {
    expect(new Set(batches.map(({ state }) => state))).toEqual(new Set(['accepted', 'processing', 'completed']));
    expect(new Set(orders.map(({ state }) => state))).toEqual(new Set(['pending', 'succeeded', 'failed']));
    expect(new Set(orders.map(({ orderType }) => orderType)).size).toBe(3);
    expect(new Set(orders.map(({ cause }) => cause))).toEqual(
      new Set([null, 'product_not_found', 'asset_not_found', 'cancelled', 'customer_not_found']),
    );
  });

  it('lists all batches newest first, with the values of their results', async () => {
    expect(await readBatches(api)).toEqual({ batches, nextCursor: null });
  });

  it('lists all orders newest first, with the values of their results, and with their batches', async () => {
    const listed = orders.map(({ batch, allNums: _, ...order }) => {
      const { channelCode, channelOrderId, acceptedTime } = batch;
      return { ...order, channelCode, channelOrderId, acceptedTime };
    });
    expect(await readOrders(api)).toEqual({ orders: listed, nextCursor: null });
  });

  /** Returns every combination of the given parameter values. */
  function combine(values: Record<string, string[]>): Query[] {
    return Object.entries(values).reduce<Query[]>(
      (queries, [name, each]) => queries.flatMap((query) => each.map((value) => ({ ...query, [name]: value }))),
      [{}],
    );
  }

  /** Returns whether values match a query. An empty query value matches everything. */
  const isAsked = (query: Query, values: Query) =>
    Object.entries(query).every(([name, value]) => value === '' || values[name] === value);

  const isInPeriod = ({ acceptedTime }: { acceptedTime: number }, { acceptedFrom, acceptedTo }: Query) =>
    (!acceptedFrom || acceptedTime >= Number(acceptedFrom)) && (!acceptedTo || acceptedTime <= Number(acceptedTo));

  it.each(['1', '3', '200'])('finds batches by all filters together, %s per page', async (limit) => {
    const queries = combine({
      channelCode: ['', 'test', 'other', 'no such channel'],
      state: ['', 'accepted', 'processing', 'completed'],
      hasFailed: ['', 'true'],
    });
    for (const query of queries) {
      const asked = batches.filter(({ channelCode, state, failed }) =>
        isAsked(query, { channelCode, state, hasFailed: String(failed > 0) }),
      );
      const listed = await allBatches(api, { ...query, limit });
      expect({ query, listed }).toEqual({ query, listed: asked.map(({ channelOrderId }) => channelOrderId) });
    }
  });

  it.each<[limit: string, values: Record<string, string[]>]>([
    ['200', { channelCode: ['', 'other'], orderType: ['', 'delete_asset'], cause: ['', 'cancelled'] }],
    ['4', { orderType: ['', 'new_buy'] }],
    ['1', {}],
  ])('finds orders by all filters together, %s per page', async (limit, values) => {
    const queries = combine({
      ...values,
      customerId: ['', customers[0].customerId, customers[1].customerId],
      assetNum: ['', assetNum, neverBought],
      state: ['', 'pending', 'succeeded', 'failed'],
    });
    for (const query of [...queries, { customerId: '404' }, { assetNum: awkward }]) {
      expect({ query, listed: await allOrders(api, { ...query, limit }) }).toEqual({ query, listed: asked(query) });
    }
  });

  const asked = (query: Query) =>
    orders
      .filter(({ batch, customerId, allNums, orderType, state, cause }) => {
        const named = allNums.includes(query.assetNum!) ? query.assetNum! : 'another';
        const values = { channelCode: batch.channelCode, assetNum: named, cause: String(cause) };
        return isAsked(query, { ...values, customerId, orderType, state });
      })
      .map(({ licenseOrderId }) => licenseOrderId);

  it('finds both by the acceptance time of the batch, to the millisecond, both ends included', async () => {
    const times = batches.map(({ acceptedTime }) => acceptedTime).sort((a, b) => a - b);
    const edges = ['', ...[times[0]!, times[4]!].flatMap((time) => [time - 1, time, time + 1])].map(String);
    const queries = combine({ acceptedFrom: edges, acceptedTo: edges }).filter(
      ({ acceptedFrom, acceptedTo }) => !acceptedFrom || !acceptedTo || Number(acceptedFrom) <= Number(acceptedTo),
    );
    for (const query of queries) {
      const inPeriod = batches.filter((batch) => isInPeriod(batch, query));
      expect(await allBatches(api, query)).toEqual(inPeriod.map(({ channelOrderId }) => channelOrderId));
      for (const named of [{}, { customerId: customers[1].customerId }]) {
        const asked = orders.filter((order) => isInPeriod(order.batch, query) && isAsked(named, order as never));
        expect(await allOrders(api, { ...query, ...named })).toEqual(asked.map((order) => order.licenseOrderId));
      }
    }
  });

  it('shows nothing to another application, and refuses another application’s cursors', async () => {
    const other = await stack.newApi();
    const [{ customerId }] = customers;
    for (const query of [{}, { state: 'completed' }, { hasFailed: 'true' }, { channelCode: 'test' }]) {
      expect(await readBatches(other, query)).toEqual({ batches: [], nextCursor: null });
    }
    const ofOrders = [
      { state: 'pending' },
      { state: 'failed' },
      { customerId },
      { assetNum },
      { assetNum: neverBought },
    ];
    for (const query of [{}, ...ofOrders]) {
      expect(await readOrders(other, query)).toEqual({ orders: [], nextCursor: null });
    }
    const { nextCursor } = await readBatches(api, { limit: '1' });
    const refusal = refusalOf(await other.ask('listBatches', { query: { limit: '1', cursor: nextCursor! } }));
    expectWrongCursor(refusal);
  });

  it('shows a bound application only its own batches of its channels', async () => {
    const bound = await stack.newApi(['auth_order'], ['test']);
    await sql`update application set channels = null where app_key = ${bound.credentials.appKey}`.execute(stack.db);
    const free = await Api.logIn(stack.baseUrl, bound.credentials);
    const kept = batchOf(newBuy(customers[0], [newAssetNum()]));
    const left = { ...batchOf(newBuy(customers[0], [newAssetNum()])), channelCode: 'other' };
    for (const batch of [kept, left]) await free.accept(batch);
    expect(await allBatches(free)).toEqual([left.channelOrderId, kept.channelOrderId]);
    await sql`
      update application set channels = array['test'] where app_key = ${bound.credentials.appKey}`.execute(stack.db);
    const again = await Api.logIn(stack.baseUrl, bound.credentials);
    const [{ customerId }] = customers;
    const [listed, ofState] = [await allBatches(again), await allBatches(again, { state: 'accepted' })];
    expect([listed, ofState]).toEqual([[kept.channelOrderId], [kept.channelOrderId]]);
    for (const query of [{}, { state: 'pending' }, { customerId }]) {
      const { orders } = await readOrders(again, query as Query);
      expect(orders.map((order) => order.channelOrderId)).toEqual([kept.channelOrderId]);
    }
    const number = assetNumsOf(left.orderList[0]!)[0]!;
    expect(await readOrders(again, { assetNum: number })).toEqual({ orders: [], nextCursor: null });
    expect(refusalOf(await again.ask('listBatches', { query: { channelCode: 'other' } })).cause).toBe(
      'channel_not_allowed',
    );
  });

  describe('refuses', () => {
    const TIME = '1772260200123456';
    it.each(['listBatches', 'listOrders'] as const)(
      'in %s a period that ends before it begins, and more than 200 entries a page',
      async (id) => {
        const refusal = refusalOf(
          await api.ask(id, { query: { acceptedFrom: '1798761600000', acceptedTo: '1798761599000' } }),
        );
        expect(refusal).toMatchObject({ code: '13004', cause: 'dates_reversed' });
        expect(pathIn(refusal.message)).toBe('acceptedFrom');
        expect(refusalOf(await api.ask(id, { query: { limit: '201' } }))).toMatchObject({ cause: 'field_invalid' });
      },
    );

    it('a cursor of the other list or of other filters', async () => {
      const { nextCursor: ofBatches } = await readBatches(api, { limit: '1' });
      const { nextCursor: ofOrders } = await readOrders(api, { limit: '1' });
      const tries: ['listBatches' | 'listOrders', Query][] = [
        ['listBatches', { cursor: ofOrders! }],
        ['listOrders', { cursor: ofBatches! }],
        ['listBatches', { cursor: ofBatches!, state: 'completed' }],
        ['listBatches', { cursor: ofBatches!, acceptedFrom: '1798761599000' }],
        ['listOrders', { cursor: ofOrders!, customerId: customers[0].customerId }],
      ];
      for (const [id, query] of tries) {
        const refusal = refusalOf(await api.ask(id, { query }));
        expectWrongCursor(refusal);
      }
    });

    it.each<['listBatches' | 'listOrders', Query, wrong: string[][], right: string[]]>([
      ...(['listBatches', 'listOrders'] as const).map(
        (id): ['listBatches' | 'listOrders', Query, string[][], string[]] => [
          id,
          {},
          [
            ...[[], ['1'], [TIME, '1', '1'], [TIME, '-1'], [TIME, '9'.repeat(19)]],
            ...['now', `${TIME}0`, `${TIME.slice(0, -1)}.`].map((time) => [time, '1']),
          ],
          [TIME, '1'],
        ],
      ),
      ['listOrders', { assetNum: 'A' }, [[TIME, '1'], ['one']], ['1']],
      ['listOrders', { customerId: '1' }, [['1.5']], ['1']],
    ])('in %s of %j a forged cursor, unless its place is valid', async (id, named, wrong, right) => {
      const askFrom = async (place: string[]) =>
        await api.ask(id, { query: { ...named, cursor: await makeUp(id, named, place) } });
      for (const place of wrong) expectWrongCursor(refusalOf(await askFrom(place)));
      expect(dataOf(await askFrom(right))).toMatchObject({ nextCursor: null });
    });

    /** Returns a forged cursor with a valid digest. */
    async function makeUp(id: 'listBatches' | 'listOrders', named: Query, place: string[]): Promise<string> {
      const applicationId = await applicationIdOf(stack.db, api.credentials);
      const ofOrders = Object.keys(named).length > 0 ? 'ordersById' : 'orders';
      return new ListCursor([id === 'listBatches' ? 'batches' : ofOrders, applicationId, named], undefined).write(
        place,
      )!;
    }

    it('but accepts a cursor with another limit', async () => {
      const { nextCursor } = await readBatches(api, { limit: '1' });
      const { batches: rest } = await readBatches(api, { limit: '200', cursor: nextCursor! });
      expect(rest).toEqual(batches.slice(1));
    });
  });
});

describe('while batches are accepted and completed', async () => {
  const { api } = await testStack();
  const customer = await api.newCustomer();

  it.each<[what: string, read: typeof readBatches | typeof readOrders, query: Query]>([
    ['batches', readBatches, {}],
    ['batches of a channel', readBatches, { channelCode: 'test' }],
    ['orders', readOrders, {}],
    ['orders of a customer', readOrders, { customerId: 'of the customer' }],
  ])('pages of %s repeat none, and miss none that existed before', async (_what, read, query) => {
    const sent = [batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]))];
    await api.accept(sent[0]);
    const asked = query.customerId === undefined ? query : { customerId: customer.customerId };
    const there = new Set<string>();
    for (let count = 0; count < 5; count++) {
      const batch = batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]));
      await api.accept(batch);
      there.add(batch.channelOrderId);
    }
    const seen: string[] = [];
    await readPages(async (cursor) => {
      const page: BatchPage | OrderPage = await read(api, { ...asked, limit: '1', cursor });
      const entries = 'batches' in page ? page.batches : page.orders;
      seen.push(...entries.map((entry) => ('licenseOrderId' in entry ? entry.licenseOrderId : entry.channelOrderId)));
      for (const { channelOrderId } of entries) there.delete(channelOrderId);
      if (seen.length % 3 === 0) await api.process(batchOf(newBuy(customer, [newAssetNum()])));
      return page;
    });
    expect(there).toEqual(new Set());
    expect(new Set(seen).size).toBe(seen.length);
  });
});

it('continues in a large backlog from a heavy batch to the next one', async () => {
  const customer = await api.newCustomer();
  const { customerId } = customer;
  const assetNum = newAssetNum();
  const sent: string[] = [];
  for (let count = 0; count < 3; count++) {
    const many = () => Array.from({ length: 4_900 }, newAssetNum);
    const orders = [[assetNum, ...many()], many()].map((nums) => deleteAsset(customer, nums));
    sent.unshift(...(await api.accept(batchOf(...orders))).map(({ licenseOrderId }) => licenseOrderId));
  }
  const ids = sent.toSorted((one, other) => (BigInt(one) < BigInt(other) ? 1 : -1));
  const naming = ids.filter((_, place) => place % 2 === 1);
  for (const state of ['', 'pending']) {
    expect(await allOrders(api, { customerId, state })).toEqual(ids);
    expect(await allOrders(api, { assetNum, state })).toEqual(naming);
  }
});

import { type AcceptedOrder, BatchOrder, BatchResult } from '@lockstep/contract';
import { sql } from 'kysely';
import { type Api, dataOf } from '../harness/api.ts';
import type { Sent } from '../harness/orders/orders.ts';
import type { Stack } from '../harness/stack.ts';
import { sortedLedger } from '../model/ledger-value.ts';
import { Model } from '../model/model.ts';
import { readLedger } from '../model/stored-ledger.ts';

/** The application that sends; it is bound to no channel. */
const SENDER = 'fuzzer';
/** The causes of orders that depend on more than the ledger that the model knows. */
const NOT_OF_THE_MODEL = ['cancelled'];

interface AcceptedBatch {
  channelCode: string;
  channelOrderId: string;
  syncMode: 'sync' | 'async';
  orderList: Sent[];
  entries: AcceptedOrder[];
}

/** Follows every batch that was accepted, in order, and holds what became of it against the model (test/model). */
export class AcceptedOrders {
  readonly #api: Api;
  readonly #stack: Stack;
  readonly #model = new Model();
  readonly #known = new Map<string, string>();
  #unsettled: AcceptedBatch[] = [];

  constructor(api: Api, stack: Stack) {
    this.#api = api;
    this.#stack = stack;
  }

  /** Waits, where a batch is to be sent, for those of other customers: between customers there is no order. */
  async makeWay(body: Buffer | null): Promise<void> {
    const customers = this.#unsettled.flatMap(({ orderList }) => orderList.map(({ customerId }) => customerId));
    if (new Set([...customers, ...customersIn(body)]).size > 1) await this.settle();
  }

  /** Throws where a body that was refused for a number that two customers share is not async, or shares none. */
  checkShared(body: Buffer): void {
    const { syncMode, orderList } = read(body);
    expectEqual('what shares a number', [syncMode, sharesNumber(orderList)], ['async', true]);
  }

  /**
   * Takes up an answer of O5 to a body. Returns how many batches and orders it says are stored now: none for one that
   * was sent before. Throws where the answer is not of these orders.
   */
  note(body: Buffer, data: AcceptedOrder[]): { batches: number; orders: number } {
    const { orderList, ...batch } = read(body);
    const said = data.map(({ sequence, customerId }) => `${sequence} ${customerId}`);
    const sent = orderList.map(({ sequence, customerId }) => `${sequence} ${customerId}`);
    expectEqual('the orders of the answer', said, sent);
    const key = JSON.stringify([batch.channelCode, batch.channelOrderId]);
    const ids = JSON.stringify(data.map(({ licenseOrderId }) => licenseOrderId));
    const earlier = this.#known.get(key);
    if (earlier !== undefined) {
      expectEqual('the answer to a repeat', ids, earlier);
      return { batches: 0, orders: 0 };
    }
    const isShared = batch.syncMode === 'async' && sharesNumber(orderList);
    expectEqual('whether a number is shared', isShared, false);
    this.#known.set(key, ids);
    this.#unsettled.push({ ...batch, orderList: orderList as unknown as Sent[], entries: data });
    return { batches: 1, orders: data.length };
  }

  /** Waits for what was accepted, and holds each outcome against the model. */
  async settle(): Promise<void> {
    if (this.#unsettled.length === 0) return;
    const customers = await sql<{ id: string; enterprise: string; channel: string }>`
      select id::text, enterprise_id::text as enterprise, channel_code as channel from customer`.execute(
      this.#stack.db,
    );
    for (const { id, ...customer } of customers.rows) this.#model.create(id, customer);
    for (const batch of this.#unsettled.splice(0)) {
      const { channelCode, channelOrderId, syncMode, orderList, entries } = batch;
      const query = { channelCode, channelOrderId, waitSeconds: '30', limit: '1000' };
      const answer = await this.#api.ask('getBatchResult', { query });
      const { orders, state } = BatchResult.parse(dataOf(answer));
      expectEqual(`the state of ${channelOrderId}`, state, 'completed');
      const placed = orderList
        .map((body, index) => ({ body, licenseOrderId: entries[index]!.licenseOrderId, order: orders[index]! }))
        .filter(({ order }) => !NOT_OF_THE_MODEL.includes(order.cause ?? ''));
      const expected = this.#model.batch(syncMode, SENDER, placed);
      const found = placed.map(({ licenseOrderId, order: { cause, assets, products, ...order } }) => {
        return {
          licenseOrderId: order.licenseOrderId === licenseOrderId ? 'its own' : 'another',
          cause,
          assets,
          products,
        };
      });
      expectEqual(
        `what became of ${channelOrderId}`,
        found,
        expected.map(({ cause, assets, products }) => ({ licenseOrderId: 'its own', cause, assets, products })),
      );
    }
  }

  /** Compares the whole ledger with the model's. */
  async compareLedger(): Promise<void> {
    const stored = sortedLedger(await readLedger(this.#stack.db, ''));
    expectEqual('the ledger', stored, sortedLedger(this.#model.assets));
  }
}

function read(body: Buffer): BatchOrder {
  return BatchOrder.parse(JSON.parse(body.toString('utf8').replace(/^\uFEFF/, '')));
}

/** The customers that a body names, as far as it can be read. */
function customersIn(body: Buffer | null): string[] {
  return [...(body?.toString('utf8') ?? '').matchAll(/"customerId":\s*"\s*(\d*)/g)].map(([, id]) => id!);
}

/** Whether orders of two customers name one asset number (rules 6.1). */
function sharesNumber(orders: BatchOrder['orderList']): boolean {
  const owners = new Map<string, string>();
  return orders.some(({ customerId, assets }) =>
    assets
      .flatMap(({ assetNos }) => assetNos)
      .some((assetNum) => {
        const owner = owners.get(assetNum) ?? customerId;
        owners.set(assetNum, owner);
        return owner !== customerId;
      }),
  );
}

function expectEqual(what: string, found: unknown, expected: unknown): void {
  const [is, shouldBe] = [JSON.stringify(found), JSON.stringify(expected)];
  if (is !== shouldBe) throw new Error(`${what}: ${is.slice(0, 2_000)}, not ${shouldBe.slice(0, 2_000)}`);
}

import { type AcceptedOrder, BatchOrder, BatchResult } from '@lockstep/contract';
import { sql } from 'kysely';
import { type Api, dataOf } from '../harness/api.ts';
import type { Sent } from '../harness/orders/orders.ts';
import type { Stack } from '../harness/stack.ts';
import { expectSame } from '../model/expect-same.ts';
import { sortedLedger } from '../model/ledger-value.ts';
import { Model } from '../model/model.ts';
import { readLedger } from '../model/stored-ledger.ts';

/** The sending application, which is bound to no channel. */
const SENDER = 'fuzzer';
/** Causes that the model can't predict from the ledger. */
const NOT_OF_THE_MODEL = ['cancelled'];

interface AcceptedBatch {
  channelCode: string;
  channelOrderId: string;
  syncMode: 'sync' | 'async';
  orderList: Sent[];
  entries: AcceptedOrder[];
}

/** Follows accepted batches in order and compares their outcomes with the model's (test/model). */
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

  /**
   * Before a batch is sent, waits for pending batches of other customers, because orders of different customers have no
   * defined order.
   */
  async makeWay(body: Buffer | null): Promise<void> {
    const customers = this.#unsettled.flatMap(({ orderList }) => orderList.map(({ customerId }) => customerId));
    if (new Set([...customers, ...customersIn(body)]).size > 1) await this.settle();
  }

  /**
   * Checks a body that was refused with `asset_number_shared`. Throws unless it is async and two customers name a
   * number.
   */
  checkShared(body: Buffer): void {
    const { syncMode, orderList } = read(body);
    expectSame(
      'mode of the batch, and whether customers share a number',
      [syncMode, sharesNumber(orderList)],
      ['async', true],
    );
  }

  /**
   * Records O5's answer to a body. Returns how many batches and orders are newly stored, which is none for a
   * resubmitted batch. Throws if the answer doesn't match the orders.
   */
  note(body: Buffer, data: AcceptedOrder[]): { batches: number; orders: number } {
    const { orderList, ...batch } = read(body);
    const said = data.map(({ sequence, customerId }) => `${sequence} ${customerId}`);
    const sent = orderList.map(({ sequence, customerId }) => `${sequence} ${customerId}`);
    expectSame('the orders in the answer', said, sent);
    const key = JSON.stringify([batch.channelCode, batch.channelOrderId]);
    const ids = JSON.stringify(data.map(({ licenseOrderId }) => licenseOrderId));
    const earlier = this.#known.get(key);
    if (earlier !== undefined) {
      expectSame('the answer to a resubmitted batch', ids, earlier);
      return { batches: 0, orders: 0 };
    }
    const isShared = batch.syncMode === 'async' && sharesNumber(orderList);
    expectSame('whether customers share a number', isShared, false);
    this.#known.set(key, ids);
    this.#unsettled.push({ ...batch, orderList: orderList as unknown as Sent[], entries: data });
    return { batches: 1, orders: data.length };
  }

  /** Waits for all accepted batches and compares each outcome with the model's. */
  async settle(): Promise<void> {
    if (this.#unsettled.length === 0) return;
    const customers = await sql<{ id: string; enterprise: string; channel: string }>`
      select id::text, enterprise_id::text as enterprise, channel_code as channel
      from customer`.execute(this.#stack.db);
    for (const { id, ...customer } of customers.rows) this.#model.create(id, customer);
    for (const batch of this.#unsettled.splice(0)) {
      const { channelCode, channelOrderId, syncMode, orderList, entries } = batch;
      const query = { channelCode, channelOrderId, waitSeconds: '30', limit: '1000' };
      const answer = await this.#api.ask('getBatchResult', { query });
      const { orders, state } = BatchResult.parse(dataOf(answer));
      expectSame(`the state of ${channelOrderId}`, state, 'completed');
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
      expectSame(
        `the outcomes of ${channelOrderId}`,
        found,
        expected.map(({ cause, assets, products }) => ({ licenseOrderId: 'its own', cause, assets, products })),
      );
    }
  }

  /** Compares the whole ledger with the model's. */
  async compareLedger(): Promise<void> {
    const stored = sortedLedger(await readLedger(this.#stack.db, ''));
    // The model is not told of calls that disable or freeze assets.
    const assets = stored.map((asset) => ({ ...asset, stopped: null }));
    expectSame('the ledger', assets, sortedLedger(this.#model.assets));
  }
}

function read(body: Buffer): BatchOrder {
  return BatchOrder.parse(JSON.parse(body.toString('utf8').replace(/^\uFEFF/, '')));
}

/** Returns the customers that a body names, even if it is not valid JSON. */
function customersIn(body: Buffer | null): string[] {
  return [...(body?.toString('utf8') ?? '').matchAll(/"customerId":\s*"\s*(\d*)/g)].map(([, id]) => id!);
}

/** Whether orders of two customers name the same asset number (rules 6.1). */
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

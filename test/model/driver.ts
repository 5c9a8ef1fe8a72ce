import { randomUUID } from 'node:crypto';
import { type AcceptedOrder, BatchResult, type OrderPreview } from '@lockstep/contract';
import { type Answer, type Api, dataOf, refusalOf } from '../harness/api.ts';
import type { Sent } from '../harness/orders.ts';
import { expectSame } from './expect-same.ts';
import { bodyOf, CUSTOMERS, type History, type HistoryBatch, type HistoryOrder, type Names } from './history.ts';
import { Model, type ModelOutcome, type PlacedOrder } from './model.ts';
import { meet, wavesOf } from './steps.ts';
import type { World } from './world.ts';

const WAVE_BATCHES = 3;
const CHANNEL_CODE = 'model';
/** Failed orders that the refusal of a sync call names (rules 6.3). */
const MAX_NAMED = 20;
const NO_ORDER = '888888888888888888';

/** How much a history made the service do. */
export interface Counts {
  orders: number;
  batches: number;
  failedSyncCalls: number;
  /** Async batches that were refused for a number that two customers shared. */
  sharedNumbers: number;
  /** Sync calls that were sent while async orders of their own customers were in flight. */
  syncCallsBehindAsync: number;
}

/** Sends a history to the service over HTTP, and throws where an answer is not what the model says. Answers the model. */
export async function drive(api: Api, history: History, world: World): Promise<Counts & { model: Model }> {
  const driver = new Driver(api, world);
  try {
    for (const wave of wavesOf(history, WAVE_BATCHES)) await driver.send(wave);
    await driver.fence();
    await driver.repeat();
    return { ...driver.counts, model: driver.model };
  } finally {
    await driver.settle();
  }
}

/** A batch as it is sent. */
interface Call {
  mode: HistoryBatch['mode'];
  orders: readonly HistoryOrder[];
  body: { channelCode: string; channelOrderId: string; syncMode: string; orderList: Sent[] };
}

/** A call that was accepted, with what the model says of its orders. */
interface Accepted extends Call {
  entries: AcceptedOrder[];
  expected: ModelOutcome[];
}

class Driver {
  readonly #api: Api;
  readonly model: Model;
  readonly #names: Names;
  /** The licenseOrderIds of the orders that were accepted, by place. */
  readonly #ids = new Map<number, string>();
  readonly #accepted: Accepted[] = [];
  /** Async batches whose results nobody has looked at. */
  readonly #inFlight: Accepted[] = [];
  /** The channelOrderIds of sync calls that failed: each stays free, and is used again. */
  readonly #freeIds: string[] = [];
  readonly counts: Counts = { orders: 0, batches: 0, failedSyncCalls: 0, sharedNumbers: 0, syncCallsBehindAsync: 0 };

  constructor(api: Api, { ids, numberPrefix }: World) {
    this.#api = api;
    this.model = new Model(new Map(Object.entries(CUSTOMERS).map(([customer, own]) => [ids[customer]!, ids[own]!])));
    this.#names = {
      id: (label) => ids[label]!,
      assetNum: (label) => label.replace('X', `${numberPrefix}X`),
      order: (place) => this.#ids.get(place as number) ?? NO_ORDER,
    };
  }

  /** Sends batches that do not meet at once. Waits before that where the history says so, or customers would meet. */
  async send(wave: HistoryBatch[]): Promise<void> {
    const orders = wave.flatMap((batch) => batch.orders);
    if (wave[0]?.isLate || this.#inFlight.some((each) => meet(each.orders, orders, true))) await this.fence();
    for (const { whole } of wave) if (whole !== undefined) await this.#checkShared(this.#callOf(whole));
    const ahead = [...this.#inFlight];
    const calls = wave.map((batch) => this.#callOf(batch));
    const previews = await Promise.all(calls.map((call) => this.#preview(call)));
    const answers = await Promise.all(calls.map(({ body }) => this.#api.submit(body)));
    for (const [index, call] of calls.entries()) {
      const entries = answers[index]!.status === 200 ? (dataOf(answers[index]!) as AcceptedOrder[]) : null;
      const expected = this.model.batch(call.mode, placed(call, entries));
      this.#count(call, ahead);
      const preview = previews[index];
      if (preview) expectSame(`preview of ${nameOf(call)}`, outcomesOf(preview), bySequence(call, expected));
      if (entries === null) await this.#checkRefused(call, answers[index]!, expected);
      else await this.#noteAccepted({ ...call, entries, expected });
    }
  }

  /** Waits for all that is in flight, and holds its results against the model. */
  async fence(): Promise<void> {
    await Promise.all(this.#inFlight.splice(0).map((each) => this.#checkResult(each, '30')));
  }

  /** Sends the first batch once more: the answer is the same, whatever happened in between, and nothing is done. */
  async repeat(): Promise<void> {
    const [first] = this.#accepted;
    if (first === undefined) return;
    expectSame(`answer to ${nameOf(first)}, repeated`, dataOf(await this.#api.submit(first.body)), first.entries);
    await this.#checkResult(first, '0');
  }

  /** Waits until nothing is in flight, after a failure: what is sent later must not meet it. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#inFlight.splice(0).map(({ body }) => this.#api.completed(body)));
  }

  #callOf({ mode, orders }: HistoryBatch): Call {
    const channelOrderId = this.#freeIds.pop() ?? randomUUID();
    const orderList = orders.map((order) => bodyOf(order, this.#names));
    return { mode, orders, body: { channelCode: CHANNEL_CODE, channelOrderId, syncMode: mode, orderList } };
  }

  /** What a sync batch would do, where nothing that it meets is in flight. */
  async #preview(call: Call): Promise<OrderPreview[] | null> {
    if (call.mode === 'async' || this.#inFlight.some((each) => meet(each.orders, call.orders))) return null;
    return await this.#api.preview(call.body);
  }

  #count(call: Call, ahead: Accepted[]): void {
    this.counts.batches += 1;
    this.counts.orders += call.orders.length;
    const customers = new Set(call.orders.map(({ customer }) => customer));
    const isBehind = ahead.some((each) => each.orders.some(({ customer }) => customers.has(customer)));
    if (call.mode === 'sync' && isBehind) this.counts.syncCallsBehindAsync += 1;
  }

  async #noteAccepted(accepted: Accepted): Promise<void> {
    const { mode, orders, entries, body } = accepted;
    expectSame(
      `answer to ${nameOf(accepted)}`,
      entries.map(({ sequence, customerId }) => ({ sequence, customerId })),
      body.orderList.map(({ sequence, customerId }) => ({ sequence, customerId })),
    );
    for (const [index, { place }] of orders.entries()) this.#ids.set(place, entries[index]!.licenseOrderId);
    this.#accepted.push(accepted);
    if (mode === 'async') this.#inFlight.push(accepted);
    // A sync batch has taken effect by the time of the answer.
    else await this.#checkResult(accepted, '0');
  }

  /** A sync call failed: code, cause and message are those of its failed orders, and nothing of it is stored. */
  async #checkRefused(call: Call, answer: Answer, expected: ModelOutcome[]): Promise<void> {
    this.counts.failedSyncCalls += 1;
    const { code, cause, message } = refusalOf(answer);
    const failed = bySequence(call, expected).filter((each) => each.cause !== null);
    const saying = `${nameOf(call)} was refused: ${message}`;
    expectSame(saying, { mode: call.mode, code, cause }, { mode: 'sync', code: '13004', cause: failed[0]?.cause });
    const named = new Set(message.match(/\d+/g)?.map(Number));
    const unnamed = failed.slice(0, MAX_NAMED).filter(({ sequence }) => !named.has(sequence));
    expectSame(`${saying} – not named`, unnamed, []);
    const stored = refusalOf(await this.#result(call, '0'));
    expectSame(`${nameOf(call)} after its refusal`, stored.cause, 'batch_not_found');
    this.#freeIds.push(call.body.channelOrderId);
  }

  /** An async batch that names one number for two customers is refused, and not stored. */
  async #checkShared(call: Call): Promise<void> {
    this.counts.sharedNumbers += 1;
    const causes = [await this.#api.submit(call.body), await this.#result(call, '0')].map(
      (each) => refusalOf(each).cause,
    );
    expectSame(`${nameOf(call)}, whole`, causes, ['asset_number_shared', 'batch_not_found']);
    this.#freeIds.push(call.body.channelOrderId);
  }

  async #checkResult(accepted: Accepted, waitSeconds: string): Promise<void> {
    const { mode, entries, expected } = accepted;
    const result = BatchResult.parse(dataOf(await this.#result(accepted, waitSeconds)));
    const failures = expected.filter(({ cause }) => cause !== null).length;
    expectSame(
      `result of ${nameOf(accepted)}`,
      {
        counts: [result.syncMode, result.state, result.total, result.succeeded, result.failed, result.pending],
        orders: result.orders.map(({ licenseOrderId, state, code, cause, message, assets, products }) => {
          return { licenseOrderId, state, code, cause, hasMessage: message !== null, assets, products };
        }),
      },
      {
        counts: [mode, 'completed', expected.length, expected.length - failures, failures, 0],
        orders: expected.map(({ cause, assets, products }, index) => {
          const { licenseOrderId } = entries[index]!;
          const state = cause === null ? 'succeeded' : 'failed';
          const code = cause === null ? null : '13004';
          return { licenseOrderId, state, code, cause, hasMessage: cause !== null, assets, products };
        }),
      },
    );
  }

  #result({ body: { channelCode, channelOrderId } }: Call, waitSeconds: string): Promise<Answer> {
    const query = { channelCode, channelOrderId, waitSeconds, limit: '1000' };
    return this.#api.call('GET', '/licenseOrder/batchOrder', { query });
  }
}

const nameOf = ({ mode, orders }: Call) => `the ${mode} batch from place ${orders[0]?.place}`;

/** The orders with their ids; those of a call that was refused have none. */
function placed({ orders, body }: Call, entries: AcceptedOrder[] | null): PlacedOrder[] {
  return orders.map(({ place }, index) => ({
    licenseOrderId: entries?.[index]?.licenseOrderId ?? `refused ${place}`,
    body: body.orderList[index]!,
  }));
}

/** What the model says of each order, in the order in which they take effect. */
function bySequence({ orders }: Call, expected: ModelOutcome[]): (ModelOutcome & { sequence: number })[] {
  return orders
    .map(({ sequence }, index) => ({ sequence, ...expected[index]! }))
    .toSorted((a, b) => a.sequence - b.sequence);
}

function outcomesOf(previews: OrderPreview[]): (ModelOutcome & { sequence: number })[] {
  return previews
    .map(({ sequence, cause, assets, products }) => ({
      sequence,
      cause,
      // Buying onto an asset and transferring one create none.
      assets: assets.filter(({ action }) => action === 'create' || action === 'revoke').length,
      products: products.length,
    }))
    .toSorted((a, b) => a.sequence - b.sequence);
}

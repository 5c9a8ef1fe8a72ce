import { randomUUID } from 'node:crypto';
import { type AcceptedOrder, BatchResult, type OrderPreview } from '@lockstep/contract';
import { vi } from 'vitest';
import { type Answer, dataOf, refusalOf } from '../harness/api.ts';
import type { Sent } from '../harness/orders/orders.ts';
import type { Act } from './acts.ts';
import { compareHistories } from './asset-history.ts';
import { expectedHoldings, readHoldings } from './compare-holdings.ts';
import { expectSame } from './expect-same.ts';
import {
  bodyOf,
  type ChannelLabel,
  type History,
  type HistoryBatch,
  type HistoryEvent,
  type HistoryOrder,
  isAct,
  type Names,
  namedAct,
  type Sender,
} from './history.ts';
import type { Model, ModelOutcome, PlacedOrder } from './model.ts';
import { Population } from './population.ts';
import { conflict, wavesOf } from './steps.ts';
import { happen, type Place, perform } from './world.ts';

const WAVE_BATCHES = 3;
/** The `channelCode` of each application's batches. Their customers may belong to any channel. */
const CHANNEL_OF: Record<Sender, ChannelLabel> = { S1: 'C', S2: 'A', S3: 'A' };
/** A refused sync call lists at most this many failed orders (rules 6.3). */
const MAX_NAMED = 20;
const NO_ORDER = '888888888888888888';

/** What a history made the service do. */
export interface Counts {
  orders: number;
  batches: number;
  failedSyncCalls: number;
  /** Async batches refused because two customers named the same number. */
  sharedNumbers: number;
  /** Sync calls sent while async orders of their customers were in flight. */
  syncCallsBehindAsync: number;
  /** Orders that waited in a paused channel. */
  waited: number;
  /** Sync calls refused because a channel was paused. */
  pausedSyncCalls: number;
  /** Acts sent together with an order. */
  races: number;
}

/** Sends a history to the service over HTTP and throws if an answer differs from the model's. Returns the model. */
export async function drive(place: Place, history: History): Promise<Counts & Pick<Driver, 'model' | 'sent'>> {
  const driver = new Driver(place);
  try {
    for (const wave of wavesOf(history, WAVE_BATCHES)) await driver.send(wave);
    await driver.resumeAll();
    await driver.fence();
    await driver.repeat();
    return { ...driver.counts, model: driver.model, sent: driver.sent };
  } finally {
    await driver.settle();
  }
}

/** A batch to send. */
interface Call {
  mode: HistoryBatch['mode'];
  sender: Sender;
  orders: readonly HistoryOrder[];
  body: { channelCode: string; channelOrderId: string; syncMode: string; orderList: Sent[] };
}

/** An accepted call, with the outcomes that the model expects. */
interface Accepted extends Call {
  entries: AcceptedOrder[];
  expected: ModelOutcome[];
}

class Driver {
  readonly #place: Place;
  readonly #population: Population;
  readonly model: Model;
  readonly #names: Names;
  /** The licenseOrderIds of accepted orders, by place. */
  readonly #ids = new Map<number, string>();
  readonly #accepted: Accepted[] = [];
  /** The channelOrderIds of accepted batches. */
  readonly sent: Record<Sender, string[]> = { S1: [], S2: [], S3: [] };
  /** Async batches whose results have not been checked. */
  readonly #inFlight: Accepted[] = [];
  /** Async batches of which only orders in paused channels are pending. */
  readonly #stopped: Accepted[] = [];
  readonly #paused = new Set<ChannelLabel>();
  /** The channelOrderIds of refused calls. Each stays free for its sender, so a later call uses it again. */
  readonly #freeIds: Record<Sender, string[]> = { S1: [], S2: [], S3: [] };
  readonly counts: Counts = {
    orders: 0,
    batches: 0,
    failedSyncCalls: 0,
    sharedNumbers: 0,
    syncCallsBehindAsync: 0,
    waited: 0,
    pausedSyncCalls: 0,
    races: 0,
  };

  constructor(place: Place) {
    this.#place = place;
    const { ids, numberPrefix } = place.world;
    this.#names = {
      id: (label) => ids[label]!,
      assetNum: (label) => label.replace('X', `${numberPrefix}X`),
      order: (place) => this.#ids.get(place as number) ?? NO_ORDER,
    };
    this.#population = new Population(this.#names);
    this.model = this.#population.model;
  }

  /**
   * Sends batches concurrently. First waits for those in flight if the history says so or orders of different customers
   * would conflict.
   */
  async send(wave: HistoryBatch[]): Promise<void> {
    for (const event of wave[0]?.events ?? []) await this.#happen(event);
    const running = wave.flatMap((batch) => batch.orders.filter((order) => !this.#waits(order, batch)));
    const waiting = wave.flatMap((batch) => batch.orders.filter((order) => this.#waits(order, batch)));
    if (wave[0]?.isLate || this.#inFlight.some((each) => conflict(runningOf(each), running, true))) await this.fence();
    const stopped = [...this.#inFlight, ...this.#stopped];
    if (stopped.some((each) => conflict(waitingOf(each), waiting, true))) await this.#letPass();
    for (const { whole } of wave) if (whole !== undefined) await this.#checkShared(this.#callOf(whole));
    const race = wave[0]?.race;
    if (race !== undefined) await this.fence();
    const ahead = [...this.#inFlight];
    const calls = wave.map((batch) => this.#callOf(batch));
    const previews = await Promise.all(calls.map((call) => this.#preview(call)));
    const answering = Promise.all(calls.map((call) => this.#submit(call)));
    const acted = race && (await perform(this.#place, namedAct(race, this.#names)));
    const answers = await answering;
    const isRaceAhead = race !== undefined && (await this.#isAhead(race, acted, calls[0]!, answers[0]!));
    if (isRaceAhead) this.#act(race, acted);
    for (const [index, call] of calls.entries()) {
      const entries = answers[index]!.status === 200 ? (dataOf(answers[index]!) as AcceptedOrder[]) : null;
      const expected = this.model.batch(call.mode, call.sender, placed(call, entries));
      this.#count(call, ahead);
      const preview = previews[index];
      if (preview) expectSame(`preview of ${nameOf(call)}`, outcomesOf(preview), bySequence(call, expected));
      if (entries === null) await this.#checkRefused(call, answers[index]!, expected);
      else await this.#noteAccepted({ ...call, entries, expected });
    }
    if (race !== undefined && !isRaceAhead) this.#act(race, acted);
  }

  /** Applies an act to the model and compares the answer of the service. */
  #act(act: Act, answer: unknown): void {
    expectSame(`answer to ${JSON.stringify(act)}`, answer, this.#population.happen(act));
  }

  /**
   * Whether an act came before the order that it was sent with. Either is right, so answer, holdings and histories
   * tell. Waits for the order.
   */
  async #isAhead(race: Act, acted: unknown, call: Call, answer: Answer): Promise<boolean> {
    const entries = answer.status === 200 ? (dataOf(answer) as AcceptedOrder[]) : null;
    const isWaiting = call.orders.some((order) => this.#waits(order, call));
    if (entries !== null && !isWaiting) await this.#apiOf(call).completed(call.body);
    const actual = JSON.stringify([acted, await readHoldings(this.#place)]);
    this.counts.races += 1;
    const undo = this.model.mark();
    const told = this.#population.happen(race);
    if (!isWaiting) this.model.batch(call.mode, call.sender, placed(call, entries));
    const isSame = actual === JSON.stringify([told, expectedHoldings(this.#place, this.model)]);
    const { happenings } = this.model;
    undo();
    const named = JSON.stringify(namedAct(race, this.#names));
    const ofRace = happenings.filter(({ assetNum }) => named.includes(`"${assetNum}"`));
    if (!isSame) return false;
    return await compareHistories(this.#place.apis.S1, ofRace).then(
      () => true,
      () => false,
    );
  }

  /** Waits for everything in flight and compares the results with the model's. */
  async fence(): Promise<void> {
    const inFlight = this.#inFlight.splice(0);
    await Promise.all(inFlight.map((each) => this.#checkResult(each, '30')));
    this.#stopped.push(...inFlight.filter((each) => waitingOf(each).length > 0));
  }

  /** Applies an event once nothing is in flight that it could affect. */
  async #happen(event: HistoryEvent): Promise<void> {
    if (event.type !== 'create') await this.fence();
    if (isAct(event)) return this.#act(event, await perform(this.#place, namedAct(event, this.#names)));
    await happen(this.#place, event);
    this.#population.happen(event);
    if (event.type === 'pause') this.#paused.add(event.channel);
    if (event.type !== 'resume') return;
    this.#paused.delete(event.channel);
    this.#inFlight.push(...this.#stopped.splice(0));
  }

  async resumeAll(): Promise<void> {
    for (const channel of [...this.#paused]) await this.#happen({ type: 'resume', channel });
  }

  /**
   * Resumes all channels until their waiting orders have an outcome, then pauses them again. Conflicting orders of two
   * customers must not start together.
   */
  async #letPass(): Promise<void> {
    const paused = [...this.#paused];
    await this.resumeAll();
    for (const channel of paused) await this.#happen({ type: 'pause', channel });
  }

  #waits({ customer }: HistoryOrder, { sender }: { sender: Sender }): boolean {
    return this.model.pausedChannelOf(this.#names.id(customer), sender) !== undefined;
  }

  /** Resubmits the first batch: the answer must be the same, and nothing may change. */
  async repeat(): Promise<void> {
    const [first] = this.#accepted;
    if (first === undefined) return;
    expectSame(`answer to ${nameOf(first)}, resubmitted`, dataOf(await this.#submit(first)), first.entries);
    await this.#checkResult(first, '0');
  }

  /** Waits until nothing is in flight, so that a failed run doesn't disturb the next. */
  async settle(): Promise<void> {
    for (const channel of this.#paused) await happen(this.#place, { type: 'resume', channel });
    const unsettled = [...this.#inFlight.splice(0), ...this.#stopped.splice(0)];
    await Promise.allSettled(unsettled.map((each) => this.#apiOf(each).completed(each.body)));
  }

  #apiOf({ sender }: { sender: Sender }) {
    return this.#place.apis[sender];
  }

  #submit(call: Call): Promise<Answer> {
    return this.#apiOf(call).submit(call.body);
  }

  #callOf({ mode, sender, orders }: HistoryBatch): Call {
    const channelCode = this.#place.world.channelCodes[CHANNEL_OF[sender]];
    const channelOrderId = this.#freeIds[sender].pop() ?? randomUUID();
    const orderList = orders.map((order) => bodyOf(order, this.#names));
    return { mode, sender, orders, body: { channelCode, channelOrderId, syncMode: mode, orderList } };
  }

  /** Previews a sync batch; null if it conflicts with orders in flight. */
  async #preview(call: Call): Promise<OrderPreview[] | null> {
    if (call.mode === 'async' || this.#inFlight.some((each) => conflict(runningOf(each), call.orders))) return null;
    return await this.#apiOf(call).preview(call.body);
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
    this.counts.waited += waitingOf(accepted).length;
    this.#accepted.push(accepted);
    this.sent[accepted.sender].push(body.channelOrderId);
    const isOfPaused = orders.some((order) => this.#waits(order, accepted));
    if (mode === 'sync' && isOfPaused)
      throw new Error(`${nameOf(accepted)} was not refused although its channel is paused`);
    if (mode === 'async') this.#inFlight.push(accepted);
    // A sync batch is completed when it is answered.
    else await this.#checkResult(accepted, '0');
  }

  /** Checks a refused sync call: its code, cause and message describe the failed orders, and nothing is stored. */
  async #checkRefused(call: Call, answer: Answer, expected: ModelOutcome[]): Promise<void> {
    const { code, cause, message } = refusalOf(answer);
    const saying = `${nameOf(call)} was refused: ${message}`;
    const { mode } = call;
    if (call.orders.some((order) => this.#waits(order, call))) {
      this.counts.pausedSyncCalls += 1;
      expectSame(saying, { mode, code, cause }, { mode: 'sync', code: '500', cause: 'channel_paused' });
    } else {
      this.counts.failedSyncCalls += 1;
      const failed = bySequence(call, expected).filter((each) => each.cause !== null);
      expectSame(saying, { mode, code, cause }, { mode: 'sync', code: '13004', cause: failed[0]?.cause });
      const named = new Set(message.match(/\d+/g)?.map(Number));
      const unnamed = failed.slice(0, MAX_NAMED).filter(({ sequence }) => !named.has(sequence));
      expectSame(`${saying}, not listed`, unnamed, []);
    }
    const stored = refusalOf(await this.#result(call, '0'));
    expectSame(`${nameOf(call)} after its refusal`, stored.cause, 'batch_not_found');
    this.#freeIds[call.sender].push(call.body.channelOrderId);
  }

  /** Checks that an async batch in which two customers name the same number is refused and not stored. */
  async #checkShared(call: Call): Promise<void> {
    this.counts.sharedNumbers += 1;
    const causes = [await this.#submit(call), await this.#result(call, '0')].map((each) => refusalOf(each).cause);
    expectSame(`${nameOf(call)} before it was split`, causes, ['asset_number_shared', 'batch_not_found']);
    this.#freeIds[call.sender].push(call.body.channelOrderId);
  }

  async #checkResult(accepted: Accepted, waitSeconds: string): Promise<void> {
    const { mode, entries, expected } = accepted;
    const waiting = waitingOf(accepted).length;
    if (waiting > 0) await this.#untilPending(accepted, waiting);
    const result = BatchResult.parse(dataOf(await this.#result(accepted, waiting > 0 ? '0' : waitSeconds)));
    const failures = expected.filter(({ cause }) => cause !== null).length;
    const successes = expected.length - failures - waiting;
    const batchState = waiting === 0 ? 'completed' : waiting === expected.length ? 'accepted' : 'processing';
    expectSame(
      `result of ${nameOf(accepted)}`,
      {
        counts: [result.syncMode, result.state, result.total, result.succeeded, result.failed, result.pending],
        orders: result.orders.map(({ licenseOrderId, state, code, cause, message, assets, products }) => {
          return { licenseOrderId, state, code, cause, hasMessage: message !== null, assets, products };
        }),
      },
      {
        counts: [mode, batchState, expected.length, successes, failures, waiting],
        orders: expected.map(({ isWaiting, cause, assets, products }, index) => {
          const { licenseOrderId } = entries[index]!;
          const state = isWaiting ? 'pending' : cause === null ? 'succeeded' : 'failed';
          const code = cause === null ? null : '13004';
          return { licenseOrderId, state, code, cause, hasMessage: cause !== null, assets, products };
        }),
      },
    );
  }

  /** Waits until `pending` orders of a batch are pending. */
  async #untilPending(call: Call, pending: number): Promise<void> {
    const isReached = async () => dataOf(await this.#result(call, '0')).pending === pending;
    await vi.waitUntil(isReached, { timeout: 30_000 });
  }

  #result(call: Call, waitSeconds: string): Promise<Answer> {
    const { channelCode, channelOrderId } = call.body;
    const query = { channelCode, channelOrderId, waitSeconds, limit: '1000' };
    return this.#apiOf(call).ask('getBatchResult', { query });
  }
}

/** The orders of a batch that wait in a paused channel, and the others. */
const waitingOf = ({ orders, expected }: Accepted) => orders.filter((_, index) => expected[index]!.isWaiting);
const runningOf = ({ orders, expected }: Accepted) => orders.filter((_, index) => !expected[index]!.isWaiting);

const nameOf = ({ mode, orders }: Call) => `the ${mode} batch from place ${orders[0]?.place}`;

/** Adds ids to the orders. Orders of a refused call get placeholders. */
function placed({ orders, body }: Call, entries: AcceptedOrder[] | null): PlacedOrder[] {
  return orders.map(({ place }, index) => ({
    licenseOrderId: entries?.[index]?.licenseOrderId ?? `refused ${place}`,
    body: body.orderList[index]!,
  }));
}

/** Sorts the outcomes that the model expects by sequence. */
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
      // Extending or transferring an asset creates none.
      assets: assets.filter(({ action }) => action === 'create' || action === 'revoke').length,
      products: products.length,
    }))
    .toSorted((a, b) => a.sequence - b.sequence);
}

import { setTimeout as delay } from 'node:timers/promises';
import { type AcceptedOrder, BatchResult, type Customer } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { vi } from 'vitest';
import { type Answer, Api, dataOf } from '../harness/api.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';

/** Pause of a caller between calls. It limits the load, so that machines of different speed get the same. */
const THINK_MS = 15;
const RETRY_MS = 100;
const NUMBERS_A_BATCH = 3;
const ASYNC_CHAINS = 6;
const SYNC_CHAINS = 2;
const READS_AT_ONCE = 16;

/** A call that was refused or whose connection broke. */
export interface Fault {
  call: string;
  baseUrl: string;
  /** Cause of the refusal, or the connection's error. */
  why: string;
}

/** Results of a load, in orders. `found` counts orders whose batch result has the acknowledged ids. */
export interface Figures {
  sent: number;
  acknowledged: number;
  found: number;
  /** Orders found as failed; must be 0, because chains succeed if the service applies each batch once, in order. */
  failed: number;
  /** Asset numbers bought more or less often than acknowledged. */
  numbersWrong: number;
  /** Acknowledged changes of an employee, and those in the audit log. A lost answer may add one to the log. */
  edits: number;
  editsOnRecord: number;
  polls: number;
  faults: number;
}

type Batch = ReturnType<typeof batchOf> | ReturnType<typeof syncOf>;

/**
 * A customer whose channel alternately buys and revokes the same numbers. Each batch succeeds only directly after the
 * one before.
 */
interface Chain {
  customer: Customer;
  numbers: string[];
  isSync: boolean;
  bought: number;
}

/**
 * Callers of every kind, each with one call at a time: channels that send chains of async or sync batches, a poller,
 * and a member center. As clients should, they retry calls after faults of the service and broken connections, and
 * resubmit batches under the same key.
 */
export class Load {
  readonly faults: Fault[] = [];
  readonly #chains: Chain[];
  readonly #center: MemberCenter;
  readonly #answered: { batch: Batch; orders: AcceptedOrder[] }[] = [];
  #targets: Api[];
  #turn = 0;
  #sent = 0;
  #acknowledged = 0;
  #polls = 0;
  #edits = 0;
  #isOver = false;
  #callers: Promise<unknown> = Promise.resolve();

  private constructor(targets: Api[], chains: Chain[], center: MemberCenter) {
    this.#targets = targets;
    this.#chains = chains;
    this.#center = center;
  }

  /** Creates the customers and an enterprise through the first API. */
  static async open(db: Database, targets: Api[]): Promise<Load> {
    const [api] = targets;
    const chains: Chain[] = [];
    for (let index = 0; index < ASYNC_CHAINS + SYNC_CHAINS; index++) {
      const numbers = Array.from({ length: NUMBERS_A_BATCH }, newAssetNum);
      chains.push({ customer: await api!.newCustomer(), numbers, isSync: index >= ASYNC_CHAINS, bought: 0 });
    }
    const newApi = () => Promise.reject(new Error('the member center already has an API'));
    return new Load(targets, chains, await MemberCenter.open({ db, newApi }, api));
  }

  begin(): void {
    this.#callers = Promise.all([
      ...this.#chains.map((chain) => this.#sendChain(chain)),
      this.#poll(),
      this.#manageEmployee(),
    ]);
    this.#callers.catch(() => {});
  }

  /** Sends later calls to these addresses, like a proxy that removes the others from its list. */
  use(baseUrls: readonly string[]): void {
    const { credentials, token } = this.#targets[0]!;
    this.#targets = baseUrls.map((baseUrl) => new Api(baseUrl, credentials, token));
  }

  /** Waits until `orders` more orders are acknowledged. Rejects if a caller fails. */
  async more(orders: number, timeoutMs = 60_000): Promise<void> {
    const goal = this.#acknowledged + orders;
    const reached = vi.waitUntil(() => this.#acknowledged >= goal, { timeout: timeoutMs });
    await Promise.race([reached, this.#callers.then(() => reached)]);
  }

  /** Stops the callers after they have retried the calls in flight until they are answered. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#callers;
  }

  /** Compares the results of all acknowledged batches, and the ledger, with the answers. */
  async check(db: Database): Promise<Figures> {
    const outcomes: { found: number; failed: number }[] = [];
    for (let first = 0; first < this.#answered.length; first += READS_AT_ONCE) {
      const some = this.#answered.slice(first, first + READS_AT_ONCE);
      outcomes.push(...(await Promise.all(some.map(({ batch, orders }) => this.#readOutcome(batch, orders)))));
    }
    const sum = (counted: 'found' | 'failed') => outcomes.reduce((total, outcome) => total + outcome[counted], 0);
    return {
      sent: this.#sent,
      acknowledged: this.#acknowledged,
      found: sum('found'),
      failed: sum('failed'),
      numbersWrong: await this.#countWrongNumbers(db),
      edits: this.#edits,
      editsOnRecord: await this.#countEditsOnRecord(db),
      polls: this.#polls,
      faults: this.faults.length,
    };
  }

  async #sendChain(chain: Chain): Promise<void> {
    for (let isPurchase = true; !this.#isOver; isPurchase = !isPurchase) {
      const batch = makeBatch(chain, isPurchase);
      this.#sent += batch.orderList.length;
      const answer = await this.#untilAnswered('createBatchOrder', (api) => api.submit(batch));
      const orders: AcceptedOrder[] = dataOf(answer);
      this.#acknowledged += orders.length;
      this.#answered.push({ batch, orders });
      if (isPurchase) chain.bought++;
      await delay(THINK_MS);
    }
  }

  /** Polls the batch acknowledged last. If it is unknown, that is a fault. */
  async #poll(): Promise<void> {
    while (!this.#isOver) {
      const last = this.#answered.at(-1);
      if (last !== undefined) {
        const { channelCode, channelOrderId } = last.batch;
        const query = { channelCode, channelOrderId, limit: '1000' };
        const answer = await this.#once('getBatchResult', (api) => api.ask('getBatchResult', { query }));
        if (answer?.status === 200) this.#polls++;
      }
      await delay(THINK_MS);
    }
  }

  /** Edits an employee's remark, which is audited, and lists employees in the member center. */
  async #manageEmployee(): Promise<void> {
    const [employee] = await this.#center.add();
    const { globalId, userName } = employee!;
    for (let number = 0; !this.#isOver; number++) {
      const edit = { userName, name: 'Kim', remark: `change ${number}` };
      await this.#untilAnswered('editEmployee', (api) => this.#centerAt(api).edit(globalId, edit));
      this.#edits++;
      await this.#once('listEmployees', (api) => this.#centerAt(api).submitList({ pageNum: '1', pageSize: '10' }));
      await delay(THINK_MS);
    }
  }

  #centerAt(api: Api): MemberCenter {
    return Object.assign(Object.create(this.#center) as MemberCenter, { api });
  }

  async #untilAnswered(call: string, work: (api: Api) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await this.#once(call, work);
      if (answer?.status === 200) return answer;
      await delay(RETRY_MS);
    }
  }

  /** Makes one call and records a fault if it fails. */
  async #once(call: string, work: (api: Api) => Promise<Answer>): Promise<Answer | undefined> {
    const api = this.#targets[this.#turn++ % this.#targets.length]!;
    const { baseUrl } = api;
    try {
      const answer = await work(api);
      if (answer.status !== 200) this.faults.push({ call, baseUrl, why: answer.body.cause ?? `HTTP ${answer.status}` });
      return answer;
    } catch (error) {
      const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
      this.faults.push({ call, baseUrl, why: cause?.code ?? cause?.message ?? message });
      return undefined;
    }
  }

  async #readOutcome(batch: Batch, acknowledged: AcceptedOrder[]): Promise<{ found: number; failed: number }> {
    const { channelCode, channelOrderId } = batch;
    const query = { channelCode, channelOrderId, limit: '1000', waitSeconds: '30' };
    const answer = await this.#targets[0]!.ask('getBatchResult', { query });
    if (answer.body.cause === 'batch_not_found') return { found: 0, failed: 0 };
    const { orders, state } = BatchResult.parse(dataOf(answer));
    if (state !== 'completed') return await this.#readOutcome(batch, acknowledged);
    const known = orders.filter(({ licenseOrderId }) =>
      acknowledged.some((order) => order.licenseOrderId === licenseOrderId),
    );
    return { found: known.length, failed: known.filter(({ state }) => state !== 'succeeded').length };
  }

  async #countWrongNumbers(db: Database): Promise<number> {
    const all = this.#chains.flatMap(({ numbers }) => numbers);
    const rows = await db
      .selectFrom('asset')
      .select(({ fn }) => ['asset_num', fn.countAll<string>().as('count')])
      .where('asset_num', 'in', all)
      .groupBy('asset_num')
      .execute();
    const counts = new Map(rows.map((row) => [row.asset_num, Number(row.count)]));
    return this.#chains.flatMap(({ numbers, bought }) => numbers.filter((each) => (counts.get(each) ?? 0) !== bought))
      .length;
  }

  async #countEditsOnRecord(db: Database): Promise<number> {
    const { count } = await db
      .selectFrom('member_audit')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('enterprise_id', '=', this.#center.enterpriseId)
      .where('action', '=', 'employee_edited')
      .executeTakeFirstOrThrow();
    return Number(count);
  }
}

function makeBatch({ customer, numbers, isSync }: Chain, isPurchase: boolean): Batch {
  const make = isPurchase ? newBuy : deleteAsset;
  const orders = numbers.map((number) => make(customer, [number]));
  return isSync ? syncOf(...orders) : batchOf(...orders);
}

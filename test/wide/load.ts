import { setTimeout as delay } from 'node:timers/promises';
import type { AcceptedOrder, Customer } from '@lockstep/contract';
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
/** Callers at once: a channel for each chain, a poller, and a member center. */
export const CALLERS = ASYNC_CHAINS + SYNC_CHAINS + 2;
const READS_AT_ONCE = 16;

/** A call that was refused or whose connection broke: the cause of the refusal, or the connection's error. */
interface Fault {
  call: string;
  baseUrl: string;
  why: string;
}

/** Results of a load, in orders. */
export interface Figures {
  sent: number;
  acknowledged: number;
  /** Acknowledged orders that the batch results have. */
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

type Employee = { globalId: string; userName: string };
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
  readonly #db: Database;
  readonly #chains: Chain[];
  readonly #center: MemberCenter;
  readonly #employee: Employee;
  readonly #answered: { batch: Batch; orders: AcceptedOrder[] }[] = [];
  #targets: Api[];
  #turn = 0;
  #sent = 0;
  #acknowledged = 0;
  #polls = 0;
  #edits = 0;
  #isOver = false;

  private constructor(db: Database, targets: Api[], chains: Chain[], center: MemberCenter, employee: Employee) {
    this.#db = db;
    this.#targets = targets;
    this.#chains = chains;
    this.#center = center;
    this.#employee = employee;
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
    const center = await MemberCenter.open({ db, newApi }, api);
    const [employee] = await center.add();
    return new Load(db, targets, chains, center, employee!);
  }

  /**
   * Runs a task while the callers call, until each call in flight is answered. Then compares the results of all
   * acknowledged batches, and the ledger, with the answers. Rejects if a caller fails. Prints the figures.
   */
  async during(what: string, task: () => Promise<void>): Promise<Figures> {
    const calling = Promise.all([...this.#chains.map((each) => this.#sendChain(each)), this.#poll(), this.#edit()]);
    calling.catch(() => {});
    await Promise.race([task(), calling]).finally(() => {
      this.#isOver = true;
    });
    await calling;
    const figures = {
      sent: this.#sent,
      acknowledged: this.#acknowledged,
      ...(await this.#countFound()),
      numbersWrong: await this.#countWrongNumbers(),
      edits: this.#edits,
      editsOnRecord: await this.#countEditsOnRecord(),
      polls: this.#polls,
      faults: this.faults.length,
    };
    process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
    return figures;
  }

  /** Sends later calls to these addresses, like a proxy that removes the others from its list. */
  use(baseUrls: readonly string[]): void {
    const { credentials, token } = this.#targets[0]!;
    this.#targets = baseUrls.map((baseUrl) => new Api(baseUrl, credentials, token));
  }

  /** Waits until `orders` more orders are acknowledged. */
  async more(orders: number): Promise<void> {
    const goal = this.#acknowledged + orders;
    await vi.waitUntil(() => this.#acknowledged >= goal, { timeout: 60_000 });
  }

  async #sendChain(chain: Chain): Promise<void> {
    for (let isPurchase = true; !this.#isOver; isPurchase = !isPurchase) {
      const batch = makeBatch(chain, isPurchase);
      this.#sent += batch.orderList.length;
      const orders: AcceptedOrder[] = dataOf(await this.#untilAnswered('createBatchOrder', (api) => api.submit(batch)));
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
  async #edit(): Promise<void> {
    const { globalId, userName } = this.#employee;
    const centerAt = (api: Api): MemberCenter => Object.assign(Object.create(this.#center), { api });
    for (; !this.#isOver; this.#edits++) {
      const edit = { userName, name: 'Kim', remark: `change ${this.#edits}` };
      await this.#untilAnswered('editEmployee', (api) => centerAt(api).edit(globalId, edit));
      await this.#once('listEmployees', (api) => centerAt(api).submitList({ pageNum: '1', pageSize: '10' }));
      await delay(THINK_MS);
    }
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

  async #countFound(): Promise<{ found: number; failed: number }> {
    const left = this.#answered.values();
    const counts = { found: 0, failed: 0 };
    const reader = async () => {
      for (const { batch, orders } of left) {
        const { orders: results } = await this.#targets[0]!.completed(batch);
        const ids = new Set(orders.map(({ licenseOrderId }) => licenseOrderId));
        const known = results.filter(({ licenseOrderId }) => ids.has(licenseOrderId));
        counts.found += known.length;
        counts.failed += known.filter(({ state }) => state !== 'succeeded').length;
      }
    };
    await Promise.all(Array.from({ length: READS_AT_ONCE }, reader));
    return counts;
  }

  async #countWrongNumbers(): Promise<number> {
    const rows = await this.#db
      .selectFrom('asset')
      .select(({ fn }) => ['asset_num', fn.countAll<string>().as('count')])
      .where(
        'asset_num',
        'in',
        this.#chains.flatMap(({ numbers }) => numbers),
      )
      .groupBy('asset_num')
      .execute();
    const counts = new Map(rows.map((row) => [row.asset_num, Number(row.count)]));
    return this.#chains.flatMap(({ numbers, bought }) => numbers.filter((each) => (counts.get(each) ?? 0) !== bought))
      .length;
  }

  async #countEditsOnRecord(): Promise<number> {
    const { count } = await this.#db
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

import type { AcceptedOrder, Customer } from '@lockstep/contract';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { type Api, dataOf, refusalOf } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { batchOf, deleteAsset, deleteProduct, newBuy, type Sent } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';
import { budget } from './budget.ts';
import { expectSame } from './expect-same.ts';
import { sortedLedger } from './ledger-value.ts';
import { Model, type PlacedOrder } from './model.ts';
import { readLedger } from './stored-ledger.ts';

/**
 * Many customers fight over few numbers, through several workers and sync calls, without waiting for each other. Then
 * the model applies what was committed, in the order of the commits.
 */
const CUSTOMERS = 8;
const SENDERS = 8;
const BATCHES = 20;
const NUMBERS = ['K1', 'K2', 'K3', 'K4', 'K5'];
const SENDER = 'S';

let api: Api;
const customers: Customer[] = [];
/** Accepted orders, by licenseOrderId. */
const sent = new Map<string, PlacedOrder>();

const { stack } = await testStack({ worker: false });
beforeAll(async () => {
  for (let worker = 0; worker < 3; worker++) await stack.startWorker();
  api = await stack.newApi();
  for (let n = 0; n < CUSTOMERS; n++) customers.push(await api.newCustomer(undefined, `channel ${n % 3}`));
  // The trigger runs in the commit, while the transaction still has its locks: what depends on it gets a later place.
  await sql
    .raw(`
      create sequence commit_place;
      create table committed (order_id bigint, xid xid8, place bigint);
      create function note_commit() returns trigger language plpgsql as $$ begin
        -- Takes a few milliseconds, so that transactions overlap.
        perform pg_sleep(0.003);
        insert into committed values (new.id, pg_current_xact_id(), nextval('commit_place'));
        return null;
      end $$;
      create constraint trigger note_commit after insert on license_order deferrable initially deferred
        for each row execute function note_commit();`)
    .execute(stack.db);
});

const orders = fc.record({
  kind: fc.constantFrom('buy', 'take', 'end', 'end', 'product'),
  assetNos: fc.uniqueArray(fc.constantFrom(...NUMBERS), { minLength: 1, maxLength: 2 }),
  source: fc.option(fc.nat(), { freq: 5 }),
});
const calls = fc.record({
  isSync: fc.boolean(),
  customer: fc.nat(CUSTOMERS - 1),
  orders: fc.array(orders, { minLength: 1, maxLength: 4 }),
});
type Call = typeof calls extends fc.Arbitrary<infer Value> ? Value : never;

function bodiesOf({ customer: place }: Call, { kind, assetNos, source }: Call['orders'][number]): Sent[] {
  const customer = customers[place]!;
  // Mostly an order whose outcome is still open.
  const known = [...sent.keys()].slice(-6);
  const srcLicenseOrderId = source === null || known.length === 0 ? undefined : known[source % known.length];
  if (kind === 'product') return [deleteProduct(customer, assetNos)];
  const bought = newBuy(customer, assetNos, { srcLicenseOrderId }, { transferedAssetNum: kind !== 'buy' });
  return kind === 'end' ? [bought, deleteAsset(customer, assetNos)] : [bought];
}

async function send(call: Call): Promise<void> {
  const orderList = call.orders.flatMap((order) => bodiesOf(call, order));
  const answer = await api.submit({ ...batchOf(...orderList), syncMode: call.isSync ? 'sync' : 'async' });
  if (answer.status !== 200) return void refusalOf(answer);
  const entries: AcceptedOrder[] = dataOf(answer);
  for (const [index, { licenseOrderId }] of entries.entries())
    sent.set(licenseOrderId, { licenseOrderId, body: orderList[index]! });
}

interface Applied {
  order: PlacedOrder;
  cause: string | null;
  assets: number;
  products: number;
}

async function readTransactions(): Promise<Applied[][]> {
  const { rows } = await sql<Omit<Applied, 'order'> & { id: string; first: string }>`
    select id, cause, assets, products, min(place) over (partition by xid) as first
    from license_order join committed on order_id = id order by first, id`.execute(stack.db);
  const byTransaction = Map.groupBy(rows, ({ first }) => first).values();
  return [...byTransaction].map((ofOne) => ofOne.map(({ id, first: _, ...row }) => ({ ...row, order: sent.get(id)! })));
}

const doneIn = (applied: readonly Applied[]) => applied.filter(({ cause }) => cause === null);

function modelAfter(transactions: readonly Applied[][]): Model {
  const model = new Model();
  for (const { customerId, enterpriseGlobalId } of customers)
    model.create(customerId, { enterprise: enterpriseGlobalId, channel: '' });
  for (const { order } of doneIn(transactions.flat())) model.batch('async', SENDER, [order]);
  return model;
}

const outcomesIn = (model: Model, applied: readonly Applied[]) =>
  applied.flatMap(({ order }) => model.batch('async', SENDER, [order]));

const told = (applied: readonly Applied[]) =>
  applied.map(({ cause, assets, products }) => ({ cause, assets, products }));

/** The numbers of active assets. */
const takenIn = (model: Model) =>
  new Set(model.assets.filter(({ revokedBy }) => revokedBy === null).map(({ assetNum }) => assetNum));

/**
 * What a transaction locks while it decides: its customers, and the assets that it changes. A number that it buys and
 * frees again is not among them: who waits for that to buy it next has already decided. `taken`: the numbers of assets
 * that were active before or are after it.
 */
function locksOf(applied: readonly Applied[], taken: ReadonlySet<string>): ReadonlySet<unknown> {
  const changed = doneIn(applied).flatMap(({ order }) =>
    (order.body.assets as { assetNos: string[] }[]).flatMap(({ assetNos }) => assetNos),
  );
  return new Set([...applied.map(({ order }) => order.body.customerId), ...changed.filter((num) => taken.has(num))]);
}

it('agrees with the model in the order of the commits', { timeout: 600_000 }, async () => {
  const { numRuns, seed = Math.floor(Math.random() * 2 ** 31) } = budget(SENDERS * BATCHES);
  const queue = fc.sample(calls, { numRuns, seed }).values();
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      for (const call of queue) await send(call);
    }),
  );
  const countLeft = async () =>
    (await sql`select from lane_chunk where finished_time is null`.execute(stack.db)).rows.length;
  await expect.poll(countLeft, { timeout: 120_000 }).toBe(0);

  const transactions = await readTransactions();
  expect(transactions.flat()).toHaveLength(sent.size);
  const model = modelAfter([]);
  const taken = [[], ...transactions].map((applied) => {
    outcomesIn(model, doneIn(applied));
    return takenIn(model);
  });
  const locks = new Map(
    transactions.map((applied, place) => [applied, locksOf(applied, taken[place]!.union(taken[place + 1]!))]),
  );
  /** Whether two transactions must have seen each other. */
  const dependOnEachOther = (one: Applied[], other: Applied[]) => !locks.get(one)!.isDisjointFrom(locks.get(other)!);
  for (const [place, applied] of transactions.entries()) {
    const what = `LOCKSTEP_SEED=${seed}: ${JSON.stringify(applied)}`;
    // What succeeded has locked what it decided on, so it also succeeds in the order of the commits.
    const done = doneIn(applied);
    expectSame(what, told(done), outcomesIn(modelAfter(transactions.slice(0, place)), done));
    // What failed may have decided shortly before others committed what it missed. A transaction decides on one moment.
    const seen = 1 + transactions.slice(0, place).findLastIndex((earlier) => dependOnEachOther(earlier, applied));
    const moments = Array.from({ length: place - seen + 1 }, (_, index) => transactions.slice(0, place - index));
    const isOf = (moment: Applied[][]) =>
      JSON.stringify(outcomesIn(modelAfter(moment), applied)) === JSON.stringify(told(applied));
    // Commits that don't depend on each other may become visible in another order than that of their places.
    const isRight = moments.some(
      (moment) =>
        isOf(moment) ||
        moment
          .slice(-SENDERS)
          .some((late) => !dependOnEachOther(late, applied) && isOf(moment.filter((each) => each !== late))),
    );
    expectSame(what, isRight, true);
  }
  const stored = sortedLedger(await readLedger(stack.db, 'K'));
  expectSame('the final ledger', stored, sortedLedger(modelAfter(transactions).assets));
  expect(await checkNumbers(stack.db)).toEqual([]);
});

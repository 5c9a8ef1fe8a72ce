import type { LedgerIds } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';
import { behindSavepoint, isTransient, run, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { IS_FAILING, LOCKED_LANES } from '../lanes.ts';
import type { OrderWithId, Outcome } from '../planning/order.ts';
import { applyOrders } from './apply.ts';

/** How often in a row a lane may fail with a transient error before its orders are tried apart. */
const MAX_TRANSIENT = 5;
/** How long parts are tried, and for how many customers they may fail before some succeed. */
const MAX_MS = 1_000;
const MAX_FAILURES = 20;

/** A customer's oldest order that could not be applied by itself. */
export interface FailedOrder {
  accepted: OrderWithId;
  error: unknown;
}

/** What became of orders: outcomes, customers to hold, and why others have to wait (undefined if none has to). */
interface AppliedInParts {
  outcomes: Outcome[];
  held: FailedOrder[];
  waitsFor: unknown;
}

/**
 * Applies the orders of lanes whose last `failures` drains failed: first together, and if that fails, customer by
 * customer, each part behind a savepoint. Returns the customers to hold (rules 6.2 Held): those whose oldest order
 * fails, if another order succeeds here or has succeeded since the lanes began to fail, or if it is the only failure in
 * the service. After a transient error, a customer only waits, as do those for whom no time was left.
 *
 * Throws an error if nothing succeeds and no one is to be held.
 */
export async function applyInParts(
  trx: Trx,
  orders: readonly OrderWithId[],
  failures: number,
  ids: LedgerIds,
): Promise<AppliedInParts> {
  try {
    return { outcomes: await applyBehindSavepoint(trx, orders, ids), held: [], waitsFor: undefined };
  } catch (error) {
    if (isTransient(error) && failures < MAX_TRANSIENT) throw error;
  }
  const startedMs = performance.now();
  const outcomes: Outcome[] = [];
  const failed: FailedOrder[] = [];
  const isEnough = () =>
    performance.now() - startedMs > MAX_MS || (outcomes.length === 0 && failed.length >= MAX_FAILURES);
  // Each time, other customers come first, because the oldest ones may all fail.
  const byCustomer = [...Map.groupBy(orders, ({ order }) => order.customerId).values()];
  const first = ((failures - 1) * MAX_FAILURES) % byCustomer.length;
  const untried = [...byCustomer.slice(first), ...byCustomer.slice(0, first)];
  while (untried.length > 0 && !isEnough()) {
    const part = await applyUpToFailure(trx, untried.shift()!, ids);
    outcomes.push(...part.outcomes);
    if (part.failed !== null) failed.push(part.failed);
  }
  const held = failed.filter(({ error }) => !isTransient(error));
  const mayHold = outcomes.length > 0 || (held.length > 0 && (await othersWork(trx, failed)));
  if (!mayHold) throw failed.at(-1)!.error;
  const waiting = untried.length > 0 ? failed.at(-1) : failed.find(({ error }) => isTransient(error));
  return { outcomes, held, waitsFor: waiting?.error };
}

/**
 * Applies orders of a customer, each part behind a savepoint, up to the first order that fails or with which they would
 * touch too much together. Returns the outcomes of those before it, and the one that failed.
 */
export async function applyUpToFailure(
  trx: Trx,
  orders: readonly OrderWithId[],
  ids: LedgerIds,
): Promise<{ outcomes: Outcome[]; failed: FailedOrder | null }> {
  try {
    return { outcomes: await applyBehindSavepoint(trx, orders, ids), failed: null };
  } catch (error) {
    const [oldest, ...later] = orders as [OrderWithId, ...OrderWithId[]];
    if (later.length === 0) return { outcomes: [], failed: { accepted: oldest, error } };
    const half = Math.ceil(later.length / 2);
    const outcomes: Outcome[] = [];
    for (const part of [[oldest], later.slice(0, half), later.slice(half)]) {
      const applied = part.length === 0 ? null : await applyUpToFailure(trx, part, ids);
      outcomes.push(...(applied?.outcomes ?? []));
      if (applied !== null && applied.outcomes.length < part.length) return { outcomes, failed: applied.failed };
    }
    return { outcomes, failed: null };
  }
}

/** Applies orders. Checks deferred constraints at once, so that an order can't make the commit fail for all. */
function applyBehindSavepoint(trx: Trx, orders: readonly OrderWithId[], ids: LedgerIds): Promise<Outcome[]> {
  return behindSavepoint(trx, async () => {
    await sql`set constraints all deferred`.execute(trx);
    const outcomes = await applyOrders(trx, orders, ids);
    await sql`set constraints all immediate`.execute(trx);
    return outcomes;
  });
}

/**
 * Whether orders have been applied elsewhere since the locked lanes began to fail, or only one customer has failed,
 * nothing else is pending in the lanes, and no other lane fails.
 */
async function othersWork(trx: Trx, failed: readonly FailedOrder[]): Promise<boolean> {
  const customerIds: CustomerId[] = failed.map(({ accepted }) => accepted.order.customerId);
  const [row] = await run<{ works: boolean; is_lone: boolean }>(trx, {
    name: 'look_at_others',
    text: `
      select exists (
        select from uncounted_activity where noted_time > failing_since and succeeded + failed > 0
        union all
        select from order_activity where period_start > failing_since and succeeded + failed > 0
      ) as works, not exists (
        select from lane where ${IS_FAILING} and lane <> all (${LOCKED_LANES})
      ) and not exists (
        select from lane_chunk
        where lane = any (${LOCKED_LANES}) and finished_time is null and not is_held and not customer_ids <@ $1::text[]
      ) as is_lone
      from (select min(failing_since) as failing_since from lane where lane = any (${LOCKED_LANES})) as lanes`,
    values: [customerIds],
  });
  return row!.works || (row!.is_lone && failed.length === 1);
}

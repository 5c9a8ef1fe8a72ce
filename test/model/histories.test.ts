import fc from 'fast-check';
import { expect, it } from 'vitest';
import { histories } from './histories.ts';
import { bodyOf, isAct } from './history.ts';
import { Population } from './population.ts';

const NAMES = { id: (label: string) => label, assetNum: (label: string) => label, order: String };
const TIMES = 3;
/** What assets, batches and orders show of a history; and the causes of failures. */
const WANTED = [
  ...['created', 'extended', 'transferred', 'revoked', 'product_bought', 'product_revoked'],
  ...['merchandise_bought', 'merchandise_revoked'],
  ...['locked', 'unlocked', 'frozen', 'unfrozen', 'assigned', 'unassigned', 'lent', 'returned'],
  ...['lock', 'unlock', 'freeze', 'unfreeze'].flatMap((act) => [1, 2, 4].map((status) => `${act} ${status}`)),
  ...['erase true', 'erase false', 'configure null', 'lend null', 'configure employee_not_matched'],
  ...['asset_not_withdrawable', 'asset_of_other_enterprise', 'asset_number_not_found'].map(
    (cause) => `configure ${cause}`,
  ),
  ...['configure asset_configured_twice', 'configure asset_frozen', 'lend borrowed_lock_unusable'],
  ...['lend asset_not_held'],
  ...['lend asset_without_nodes', 'a holding that an order ended'],
  ...['a sync call that succeeds', 'a sync call of a paused channel', 'orders of a paused channel'],
  ...['a cloud license', 'packages 16 deep', 'a strict match with a date', 'a source order', 'an extend code'],
  ...['customer_not_found', 'enterprise_mismatch', 'source_order_not_found', 'asset_owned_by_other_customer'],
  ...['license_type_mismatch', 'asset_not_found', 'asset_not_in_source_order', 'product_not_found', 'dates_reversed'],
];
/** Seldom in so few histories. */
const RARE = ['lend borrowed_lock_taken', 'lend asset_lent_elsewhere', 'lend asset_frozen_not_lent'];
/** Kinds of orders, by what their JSON contains. Only those of batches without failures count. */
const KINDS: Record<string, RegExp> = {
  'a cloud license': /"licenseType":"cloud_/,
  'packages 16 deep': /"merchandiseNum":"M15"/,
  'a strict match with a date': /"limit(Start|End)Date":\d[^{]*"strictMatchWhenDelete":true/,
  'a source order': /"srcLicenseOrderId":\d/,
  'an extend code': /"extendCode":"c"/,
};

it('histories cover every kind of success and every cause of failure', () => {
  const seen = new Map<string, number>();
  const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (const { batches } of fc.sample(histories({ maxBatches: 6, maxOrders: 5 }), { numRuns: 1_000, seed: 1 })) {
    const population = new Population(NAMES);
    const { model } = population;
    for (const { mode, sender, events = [], race, orders } of batches) {
      for (const event of [...events, ...(race ? [race] : [])]) {
        const answer = population.happen(event);
        if (isAct(event)) for (const each of answer as unknown[]) note(`${event.type} ${each}`);
      }
      const placed = orders.map((order) => ({ licenseOrderId: String(order.place), body: bodyOf(order, NAMES) }));
      const causes = model.batch(mode, sender, placed).flatMap(({ cause }) => cause ?? []);
      causes.forEach(note);
      const isPaused = orders.some(({ customer }) => model.pausedChannelOf(customer, sender) !== undefined);
      if (isPaused) note(mode === 'sync' ? 'a sync call of a paused channel' : 'orders of a paused channel');
      if (isPaused || causes.length > 0) continue;
      if (mode === 'sync' && orders.length > 1) note('a sync call that succeeds');
      const text = JSON.stringify(orders);
      for (const [kind, pattern] of Object.entries(KINDS)) if (pattern.test(text)) note(kind);
    }
    for (const { action, order } of model.happenings) {
      note(action);
      if (order !== null && (action === 'unassigned' || action === 'returned')) note('a holding that an order ended');
    }
  }
  expect(WANTED.filter((what) => (seen.get(what) ?? 0) < TIMES)).toEqual([]);
  // Every cause must be in the list.
  expect([...seen.keys()].filter((what) => ![...WANTED, ...RARE].includes(what))).toEqual([]);
});

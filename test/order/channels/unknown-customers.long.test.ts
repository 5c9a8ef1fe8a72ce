import type { Customer, CustomerId } from '@lockstep/contract';
import { CustomerChannels } from '@lockstep/orders';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { FIRST_CHANNEL } from '../../harness/orders/lanes.ts';
import { testStack } from '../../harness/stack.ts';

/** An application bound to one channel names 100,000 customers of another (rules 6.2). */
const CUSTOMERS = 100_000;
const AT_ONCE = 2_000;

const { stack } = await testStack({ worker: false });
const ours = await (await stack.newApi(undefined, ['test'])).newCustomer();
await sql`insert into channel (code) values ('theirs')`.execute(stack.db);
const { rows } = await sql<{ customerId: CustomerId }>`
  insert into customer (enterprise_id, channel_code, channel_customer_id, name, branch_name, is_default)
  select ${ours.enterpriseGlobalId}, 'theirs', n, 'Customer', 'Branch', false
  from generate_series(1, ${CUSTOMERS}) n returning id::text as "customerId"`.execute(stack.db);
const theirs: Customer[] = rows.map(({ customerId }) => ({ ...ours, customerId }));

/** The customers in parts of one call each. */
const parts = () =>
  Array.from({ length: CUSTOMERS / AT_ONCE }, (_, index) => theirs.slice(index * AT_ONCE, (index + 1) * AT_ONCE));

it('a process keeps its own customers cached, and the cache is bounded', async () => {
  const channels = new CustomerChannels();
  const find = async (customers: readonly Customer[], codes: string[] | null) => [
    ...new Set(
      (
        await channels.find(
          stack.db,
          customers.map(({ customerId }) => customerId),
          codes,
        )
      ).values(),
    ),
  ];
  /** Runs `work` while customer lookups are blocked. */
  const withoutLookUps = async (work: () => Promise<void>) => {
    await sql`alter table channel rename to hidden`.execute(stack.db);
    await work().finally(() => sql`alter table hidden rename to channel`.execute(stack.db));
  };
  await find([ours], ['test']);
  for (const part of parts()) expect(await find(part, ['test'])).toEqual([]);
  await withoutLookUps(async () => {
    expect(await find([ours], ['test'])).toEqual([FIRST_CHANNEL]);
    await expect(find(theirs.slice(-1), ['test'])).rejects.toThrow('channel');
  });
  for (const part of parts()) expect(await find(part, null)).toEqual([FIRST_CHANNEL + 1]);
  await withoutLookUps(async () => {
    expect(await find(theirs.slice(-AT_ONCE), null)).toEqual([FIRST_CHANNEL + 1]);
    await expect(find(theirs.slice(0, 1), null)).rejects.toThrow('channel');
  });
});

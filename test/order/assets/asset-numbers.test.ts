import { buildMessage } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from '../../harness/api.ts';
import { dropTriggerFunction, pastTriggers } from '../../harness/databases/past-triggers.ts';
import { countHandedOut, numbersFrom, submitTake, take } from '../../harness/orders/asset-numbers.ts';
import { deleteAsset, newBuy } from '../../harness/orders/orders.ts';
import { startAnotherApi } from '../../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../../harness/stack.ts';

/** O9 reserves asset numbers (rules 7). */
const LAST_COUNT = 999_999_999;

describe('O9', async () => {
  const { stack } = await testStack({ worker: false });
  const api = await stack.newApi(['auth_order']);
  const { api: there } = await untilTestsEnd(startAnotherApi(stack, api));
  const { api: overseas } = await untilTestsEnd(startAnotherApi(stack, api, { REGION: 'overseas' }));

  /** Sets a region's counter so that `left` numbers remain. */
  const leave = (firstDigit: 6 | 8, left: number) =>
    stack.db
      .updateTable('asset_number')
      .set({ handed_out: LAST_COUNT - left })
      .where('first_digit', '=', firstDigit)
      .execute();

  it('starts with the first number of the region and continues from there', async () => {
    const answer = await submitTake(api, 1);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ code: 0, message: 'success', data: ['8000000001'] });
    expect(await take(api, 3)).toEqual(['8000000002', '8000000003', '8000000004']);
    expect(await take(there, 1)).toEqual(['8000000005']);
  });

  it('counts each region separately', async () => {
    const domestic = await countHandedOut(stack.db, 8);
    expect(await take(overseas, 2)).toEqual(['6000000001', '6000000002']);
    expect(await countHandedOut(stack.db, 8)).toBe(domestic);
    expect(await take(api, 1)).toEqual(numbersFrom('8', domestic + 1, 1));
    expect(await take(overseas, 1)).toEqual(['6000000003']);
  });

  it.each([1, 2, 999, 10_000])('reserves %i at once, each higher than the one before', async (size) => {
    const first = (await countHandedOut(stack.db, 8)) + 1;
    expect(await take(api, size)).toEqual(numbersFrom('8', first, size));
    expect(await countHandedOut(stack.db, 8)).toBe(first + size - 1);
  });

  it('accepts a size written as 1.0 or 1e1', async () => {
    for (const [size, count] of [
      ['1.0', 1],
      ['1e1', 10],
    ] as const) {
      const answer = await api.call('POST', '/shellnums', { rawBody: `{"size":${size}}` });
      expect(dataOf(answer)).toHaveLength(count);
    }
  });

  it.each([
    ['9 digits', 99_999_998],
    ['8 digits', 9_999_998],
  ])('keeps 10 digits when the count grows to %s', async (_what, handed_out) => {
    await stack.db.updateTable('asset_number').set({ handed_out }).where('first_digit', '=', 8).execute();
    expect(await take(api, 3)).toEqual(numbersFrom('8', handed_out + 1, 3));
  });

  it('reserves every number exactly once when 60 calls arrive at the same time at two APIs', async () => {
    const first = (await countHandedOut(stack.db, 8)) + 1;
    const sizes = Array.from({ length: 60 }, (_, index) => 1 + ((index * 37) % 100));
    const answers = await Promise.all(sizes.map((size, index) => take(index % 2 === 0 ? api : there, size)));
    for (const [index, numbers] of answers.entries()) {
      expect(numbers).toEqual(numbersFrom('8', Number(numbers[0]!.slice(1)), sizes[index]!));
    }
    const total = sizes.reduce((sum, size) => sum + size);
    expect(answers.flat().toSorted()).toEqual(numbersFrom('8', first, total));
  });

  it('is refused if fewer numbers are left than requested, and then reserves none', async () => {
    await leave(8, 5);
    for (const size of [6, 10_000]) {
      const refusal = refusalOf(await submitTake(api, size));
      expect(refusal).toMatchObject({ code: '13004', cause: 'asset_numbers_exhausted' });
      expect(refusal.message).toBe(buildMessage('asset_numbers_exhausted', size));
    }
    expect(await countHandedOut(stack.db, 8)).toBe(LAST_COUNT - 5);
    expect(await take(api, 2)).toEqual(['8999999995', '8999999996']);
    expect(refusalOf(await submitTake(api, 4))).toMatchObject({ cause: 'asset_numbers_exhausted' });
    expect(await take(api, 3)).toEqual(['8999999997', '8999999998', '8999999999']);
    for (const size of [1, 10_000]) {
      expect(refusalOf(await submitTake(api, size))).toMatchObject({ cause: 'asset_numbers_exhausted' });
    }
    expect(await take(overseas, 1)).toHaveLength(1);
  });

  it('reserves exactly the last 10,000', async () => {
    await leave(6, 10_000);
    expect(await take(overseas, 10_000)).toEqual(numbersFrom('6', LAST_COUNT - 9_999, 10_000));
    expect(refusalOf(await submitTake(overseas, 1))).toMatchObject({ cause: 'asset_numbers_exhausted' });
  });

  it('gives the last five numbers to five of 20 callers', async () => {
    await leave(8, 5);
    const calls = Array.from({ length: 20 }, (_, index) => submitTake(index % 2 === 0 ? api : there, 1));
    const answers = await Promise.all(calls);
    const given = answers.filter(({ status }) => status === 200).flatMap(dataOf);
    expect(given.toSorted()).toEqual(numbersFrom('8', LAST_COUNT - 4, 5));
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(refusalOf(answer)).toMatchObject({ code: '13004', cause: 'asset_numbers_exhausted' });
    }
  });

  it('keeps its progress past numbers that were bought ahead, even if it fails', async () => {
    const [after, through] = [100_000_000, 100_050_000];
    await sql`update asset_number set handed_out = ${after} where first_digit = 8`.execute(stack.db);
    await pastTriggers(stack.db, ['asset'], async (trx) => {
      await sql`
        insert into asset (id, asset_num, customer_id, license_type, borrowed_usb_key, created_by_order_id)
        select count, 8000000000 + count, 1, 'softkey', false, 1
        from generate_series(${after + 1}::int, ${through}::int) as count where count <> ${after + 2}`.execute(trx);
    });
    await sql
      .raw(`
        create function fail_at_end() returns trigger language plpgsql as $$ begin raise 'end'; end $$;
        create trigger fail_at_end before update on asset_number for each row
          when (new.handed_out > ${through}) execute function fail_at_end()`)
      .execute(stack.db);
    expect(refusalOf(await submitTake(api, 2))).toMatchObject({ code: '500' });
    await dropTriggerFunction(stack.db, 'asset_number', 'fail_at_end');
    expect(await countHandedOut(stack.db, 8)).toBeGreaterThan(after);
    expect(await take(there, 2)).toEqual(numbersFrom('8', through + 1, 2));
  });

  it('skips the numbers of active assets, and reserves none if too few are left', async () => {
    const customer = await api.newCustomer();
    const [first] = await take(api, 1);
    const next = (steps: number) => String(Number(first) + steps);
    const [revoked, ...taken] = [next(1), next(2), next(3), next(5)] as [string, ...string[]];
    await api.carryOut(newBuy(customer, [revoked, ...taken]), deleteAsset(customer, [revoked]));
    expect(await take(api, 3)).toEqual([revoked, next(4), next(6)]);
    expect(await take(api, 2)).toEqual([next(7), next(8)]);

    await leave(8, 2);
    await api.carryOut(newBuy(customer, ['8999999998']));
    expect(refusalOf(await submitTake(api, 2)).cause).toBe('asset_numbers_exhausted');
    expect(await take(api, 1)).toEqual(['8999999999']);
  });
});

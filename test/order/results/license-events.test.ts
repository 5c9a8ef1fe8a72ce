import type { Customer, EndingLicenses, FeedEvent } from '@lockstep/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Api, dataOf, refusalOf } from '../../harness/api.ts';
import { numberAll, readFeed, searchAll as searchAllOf, TODAY } from '../../harness/orders/events.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, productToBuy, type Sent } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** Who hears of a customer's licenses, and of what (rules 6.8). */

const DAY_MS = 86_400_000;
const { stack, api: unmarked } = await testStack({ worker: false });
const newListener = (channels: string[] | null) => stack.newApi(['auth_order'], channels);
const [east, both, marked] = await Promise.all([
  newListener(['east']),
  newListener(['east', 'west']),
  newListener(null),
]);
await sql`update application set hears_licenses = true where app_key = ${marked.credentials.appKey}`.execute(stack.db);

const today = async () => {
  const { rows } = await sql<{ day: number }>`select ${TODAY} as day`.execute(stack.db);
  return rows[0]!.day;
};
const noonIn = async (days: number) => ((await today()) + days) * DAY_MS + DAY_MS / 2;
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const searchAll = () => searchAllOf(stack.db);

/** Lets the searches read a day again that they have read. */
async function searchAgain(leadDays: number): Promise<void> {
  await sql`update expiry_search set day = day - 1 where lead_days = ${leadDays}`.execute(stack.db);
  await searchAll();
}

const readFrom = new Map<Api, string>();
/** Reads the events that an application has got since the last call, without those of its batches. */
async function hear(api: Api): Promise<FeedEvent[]> {
  await numberAll(stack.db);
  const events = await readFeed(api, readFrom.get(api));
  readFrom.set(api, events.at(-1)?.id ?? readFrom.get(api) ?? '');
  return events.filter(({ type }) => !type.startsWith('batch.'));
}
const hearAll = async () => {
  const heard = [];
  for (const api of [east, both, marked, unmarked]) heard.push(await hear(api));
  return heard;
};

beforeEach(async () => {
  for (const table of ['asset', 'product_instance']) {
    await sql`update ${sql.table(table)} set limit_end_date = null where revoked_time is null`.execute(stack.db);
  }
  await hearAll();
});

const newCustomer = (channelCode = 'east') => both.newCustomer(`Enterprise ${newAssetNum()}`, channelCode);
const carryOut = (api: Api, order: Sent, channelCode = 'east') =>
  api.accept({ ...batchOf(order), channelCode, syncMode: 'sync' });

/** Buys an asset that ends at `assetEnd`, with a product for each other end. */
function buy(
  customer: Customer,
  assetNum: string,
  assetEnd?: number,
  productEnds: (number | undefined)[] = [undefined],
) {
  const products = productEnds.map((limitEndDate, nth) =>
    productToBuy({ productUri: `gms-${100 + nth}`, limitEndDate }),
  );
  return carryOut(both, newBuy(customer, [assetNum], {}, { limitEndDate: assetEnd, products }));
}

const setDays = (api: Api, days: number[]) =>
  sql`update application set lead_days = ${days} where app_key = ${api.credentials.appKey}`.execute(stack.db);

describe('ending licenses', () => {
  it('are told once before they end, to those who hear of the channel', async () => {
    const customer = await newCustomer();
    const [assetNum, other] = [newAssetNum(), newAssetNum()];
    const end = await noonIn(7);
    await buy(customer, assetNum, end, [end, end + DAY_MS]);
    await buy(customer, other, undefined, [end]);
    await searchAll();
    const heard = await hearAll();
    expect(heard.map((events) => events.length)).toEqual([1, 1, 1, 0]);
    const [event] = heard[0]!;
    expect(event).toMatchObject({
      type: 'licenses.expiring',
      data: {
        customerId: customer.customerId,
        channelCode: 'east',
        day: dateOf(end),
        leadDays: 7,
        assets: [{ assetNum, limitEndDate: end }],
        products: [
          { assetNum, productUri: 'gms-100', limitEndDate: end },
          { assetNum: other, limitEndDate: end },
        ],
        counts: { assets: 1, products: 2 },
      },
    });
    const { list } = event!.data as EndingLicenses;
    const query = Object.fromEntries(new URL(list, 'http://host').searchParams);
    const { assets } = dataOf(await east.call('GET', '/assets', { query }));
    const numbers = (assets as { assetNum: string }[]).map((asset) => asset.assetNum);
    expect(numbers.toSorted()).toEqual([assetNum, other].toSorted());
    await searchAll();
    expect((await hearAll()).flat()).toEqual([]);
  });

  it('are told at the lead times of each application', async () => {
    await setDays(east, [3, 90]);
    await setDays(marked, []);
    await buy(await newCustomer(), newAssetNum(), await noonIn(3));
    await buy(await newCustomer(), newAssetNum(), await noonIn(30));
    await searchAgain(30);
    const days = (await hearAll()).map((events) => events.map(({ data }) => (data as EndingLicenses).leadDays));
    expect(days).toEqual([[3], [30], [], []]);
    const { rows } = await sql<{ days: number[] }>`
      select array_agg(lead_days order by lead_days) as days from expiry_search`.execute(stack.db);
    expect(rows[0]!.days).toEqual([-1, 3, 7, 30, 90]);
    await setDays(east, [30, 7]);
    await setDays(marked, [30, 7]);
  });

  it('are not told again when no application has a lead time for a while', async () => {
    const customer = await newCustomer();
    await buy(customer, newAssetNum(), await noonIn(5));
    await setDays(east, [5]);
    await searchAll();
    await setDays(east, []);
    await searchAll();
    await setDays(east, [5]);
    await searchAll();
    expect(await hear(east)).toMatchObject([{ data: { leadDays: 5 } }]);
    await setDays(east, [30, 7]);
  });

  it('of an extended term are told of its new end', async () => {
    const customer = await newCustomer();
    const assetNum = newAssetNum();
    await buy(customer, assetNum, await noonIn(7));
    await buy(customer, assetNum, await noonIn(8));
    await searchAgain(7);
    expect(await hear(east)).toEqual([]);
    // A day passes.
    await sql`update asset set limit_end_date = limit_end_date - ${DAY_MS}`.execute(stack.db);
    await searchAgain(7);
    expect(await hear(east)).toMatchObject([{ data: { assets: [{ assetNum }] } }]);
  });

  it('are counted whole and told once if there are thousands, steps fail, and workers search at once', async () => {
    const customer = await newCustomer();
    const first = newAssetNum();
    const end = await noonIn(7);
    await buy(customer, first, end, [end, end]);
    await buy(await newCustomer(), newAssetNum(), end);
    // Copies of the asset with its two products.
    await sql`
      with copied as (
        insert into asset (id, customer_id, created_by_order_id, limit_end_date, borrowed_usb_key, asset_num, license_type)
        select nextval('ledger_id'), customer_id, created_by_order_id, limit_end_date, borrowed_usb_key, asset_num || '-' || n, license_type
        from asset, generate_series(1, 2_499) as n where asset_num = ${first} returning id
      ), granted as (
        insert into asset_grant (asset_id, license_order_id)
        select copied.id, license_order_id from copied, asset_grant where asset_id = (select id from asset where asset_num = ${first})
      )
      insert into product_instance (id, asset_id, license_order_id, terms_id, uri_hash, limit_concurrent, limit_end_date,
        crm_product_id, parent_crm_product_id)
      select nextval('ledger_id'), copied.id, license_order_id, terms_id, uri_hash, limit_concurrent, p.limit_end_date,
        crm_product_id, parent_crm_product_id
      from asset join product_instance p on p.asset_id = asset.id, copied where asset_num = ${first}`.execute(stack.db);
    await sql`
      create function fail_sometimes() returns trigger language plpgsql as $$
      begin if random() < 0.3 then raise 'fails'; end if; return null; end $$;
      create constraint trigger fail_sometimes after insert or update or delete on found_expiry deferrable initially deferred
        for each row execute function fail_sometimes()`.execute(stack.db);
    await sql`update expiry_search set day = day - 1 where lead_days = 7`.execute(stack.db);
    while ((await searchAll().catch(() => 'failed')) === 'failed');
    await Promise.all([searchAll(), searchAll()].map((all) => all.catch(() => {})));
    await sql`drop function fail_sometimes cascade`.execute(stack.db);
    await searchAll();
    const events = await hear(east);
    const counts = events.map(({ data }) => (data as EndingLicenses).counts);
    expect(counts.toSorted((a, b) => a.assets - b.assets)).toEqual([
      { assets: 1, products: 0 },
      { assets: 2_500, products: 5_000 },
    ]);
    const { assets, products } = events
      .map(({ data }) => data as EndingLicenses)
      .find((data) => data.counts.assets > 1)!;
    expect([assets.length, products.length]).toEqual([100, 100]);
    expect(new Set(assets.map(({ assetNum }) => assetNum)).size).toBe(100);
  });

  it('are searched by workers', async () => {
    await buy(await newCustomer(), newAssetNum(), await noonIn(7));
    await sql`update expiry_search set day = day - 1 where lead_days = 7`.execute(stack.db);
    const worker = await stack.startWorker();
    await expect.poll(() => hear(east)).toMatchObject([{ type: 'licenses.expiring' }]);
    await worker.close();
  });

  it('are not told as expiring after an outage in which they ended', async () => {
    const customer = await newCustomer();
    await buy(customer, newAssetNum(), await noonIn(-2));
    await buy(customer, newAssetNum(), await noonIn(1));
    await sql`update expiry_search set day = ${await today()} - 3 where lead_days = 7`.execute(stack.db);
    await searchAll();
    expect((await hear(east)).map(({ data }) => (data as EndingLicenses).day)).toEqual([dateOf(await noonIn(1))]);
  });
});

describe('changed assets', () => {
  it('that another application moves away or revokes are told, once for each order and customer', async () => {
    const customer = await newCustomer();
    const assetNums = Array.from({ length: 101 }, newAssetNum);
    const limitEndDate = await noonIn(200);
    await carryOut(east, newBuy(customer, assetNums, {}, { limitEndDate }));
    const [, ...rest] = assetNums;
    const to = await newCustomer('west');
    const moving = { transferedAssetNum: true, limitEndDate: await noonIn(300), products: [] };
    const [moved] = await carryOut(both, newBuy(to, [assetNums[0]!], {}, moving));
    const [revoked] = await carryOut(both, deleteAsset(customer, rest));
    const heard = await hearAll();
    expect(heard.map((events) => events.map(({ type }) => type))).toEqual([
      ['asset.transferred', 'asset.revoked'],
      [],
      ['asset.transferred', 'asset.revoked'],
      [],
    ]);
    const of = { customerId: customer.customerId, channelCode: 'east' };
    expect(heard[0]).toMatchObject([
      {
        data: {
          ...of,
          licenseOrderId: moved!.licenseOrderId,
          // Its new end is not the former channel's business.
          assets: [{ assetNum: assetNums[0], limitEndDate }],
          counts: { assets: 1 },
        },
      },
      { data: { ...of, licenseOrderId: revoked!.licenseOrderId, counts: { assets: 100 } } },
    ]);
    expect(heard[0]![1]!.data).toHaveProperty('assets.length', 100);
  });

  it('are told if another application disables, enables, freezes or unfreezes them', async () => {
    const customer = await newCustomer();
    const [lock, certificate] = [newAssetNum(), newAssetNum()];
    await carryOut(both, newBuy(customer, [lock]));
    await carryOut(both, newBuy(customer, [certificate], { licenseType: 'softkey' }));
    const change = (action: string, assetNum: string) =>
      both.call('POST', `/asset/${action}`, { body: { operatorIdentity: 'kim', assetNums: [assetNum] } });
    for (const [action, assetNum] of [
      ['lock', lock],
      ['unlock', lock],
      ['freeze', certificate],
      ['unfreeze', certificate],
    ] as const)
      expect(dataOf(await change(action, assetNum))).toMatchObject([{ status: 1 }]);
    // Nothing changes.
    await change('unlock', lock);
    const heard = await hearAll();
    expect(heard.map((events) => events.map(({ type }) => type))).toEqual([
      ['asset.locked', 'asset.unlocked', 'asset.frozen', 'asset.unfrozen'],
      [],
      ['asset.locked', 'asset.unlocked', 'asset.frozen', 'asset.unfrozen'],
      [],
    ]);
    expect(heard[0]![0]!.data).toEqual({
      customerId: customer.customerId,
      channelCode: 'east',
      licenseOrderId: null,
      assets: [{ assetId: expect.any(String), assetNum: lock, limitEndDate: null }],
      counts: { assets: 1 },
    });
  });

  it('are not told of an order that is refused, nor of a sync call that is rolled back', async () => {
    const customer = await newCustomer();
    const assetNum = newAssetNum();
    await carryOut(east, newBuy(customer, [assetNum]));
    const refused = deleteAsset(customer, [newAssetNum()]);
    const batch = { ...batchOf(deleteAsset(customer, [assetNum]), refused), channelCode: 'east', syncMode: 'sync' };
    expect(refusalOf(await both.submit(batch)).cause).toBe('asset_not_found');
    expect((await hearAll()).flat()).toEqual([]);
  });
});

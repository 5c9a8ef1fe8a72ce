import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { newAssetNum, newBuy, productToBuy, type Sent } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** Orders that buy the same product share one row of product_terms. */

const { stack, api } = await testStack();
const customer = await api.newCustomer();

const FEATURE = { featureCode: 'seats', featureName: '座位 "5"', featureValue: 'a\\b', featureValueType: 'int' };

/** A product with every field. */
const full = (changes: Sent = {}) =>
  productToBuy({
    productUri: 'gms-7',
    gmsPid: 'pid',
    appKey: 'app',
    trialEndDate: 4,
    limitStartDate: 1,
    limitEndDate: 1_900_000_000_002,
    productFeatures: [{ ...FEATURE, trial: 1, trialEndDate: '2030-01-01' }],
    ...changes,
  });

/** Buys products on a new asset and reads how they are stored. */
async function buy(...products: Sent[]) {
  const assetNum = newAssetNum();
  await api.carryOut(newBuy(customer, [assetNum], {}, { products }));
  const { rows } = await sql<{ terms: string; fields: string; digest: string; product: string }>`
    select terms_id as terms, fields::text, encode(digest, 'hex') as digest, product::text from product_instance as product
    join product_terms on product_terms.id = terms_id join asset on asset.id = asset_id
    where asset_num = ${assetNum} order by product.id`.execute(stack.db);
  return rows;
}

it('products are stored byte for byte as the first version stored them', async () => {
  const [{ fields, digest }] = (await buy(full())) as [Awaited<ReturnType<typeof buy>>[number]];
  expect(fields).toBe(
    // biome-ignore format: as it was stored
    '{"productUri":"gms-7","productName":"Cost Estimator","gmsPid":"pid","appKey":"app","productType":"tool","limitTimeDuration":0,"trial":0,"trialEndDate":4,"timeUnit":"year","timeUnitQuantity":1,"timeDurationExpression":"1-0-0","productFeatures":[{"featureCode":"seats","featureName":"座位 \\"5\\"","featureValue":"a\\\\b","featureValueType":"int","trial":1,"trialEndDate":1893456000000}]}',
  );
  expect(digest).toBe('f3f63809a724103fd56923e8468ec502a8640dbf133b9a48a7c863f532169b36');
});

it('products that differ only in the fields of one license share their terms, which omit those fields', async () => {
  const others = [
    { crmProductId: 'crm-own' },
    { parentCrmProductId: 'parent-own' },
    { passwords: ['password-own'] },
    { limitStartDate: 11, limitEndDate: 1_900_000_000_012, limitConcurrent: 13 },
  ];
  const [first, ...rest] = [...(await buy(full())), ...(await buy(...others.map(full)))];
  expect(rest.map(({ terms }) => terms)).toEqual(others.map(() => first!.terms));
  expect(first!.fields).not.toMatch('own');
  expect(rest.map(({ product }) => product.match(/\w+-own/)?.[0])).toEqual([
    'crm-own',
    'parent-own',
    'password-own',
    undefined,
  ]);
});

it('products that differ in any other field have terms of their own', async () => {
  const others = [
    ...[
      { productUri: 'gms-8' },
      { productName: 'Other' },
      { gmsPid: null },
      { appKey: 'other' },
      { productType: 'other' },
    ],
    ...[{ limitTimeDuration: 1 }, { trial: 1 }, { trialEndDate: 5 }, { timeUnit: 'month' }, { timeUnitQuantity: 2 }],
    ...[{ timeDurationExpression: '2-0-0' }, { productFeatures: [] }],
  ];
  const bought = [...(await buy(full())), ...(await buy(...others.map(full)))];
  expect(new Set(bought.map(({ terms }) => terms)).size).toBe(others.length + 1);
});

it('products share the older of two rows that transactions stored at once', async () => {
  const [{ terms }] = (await buy(full())) as [Awaited<ReturnType<typeof buy>>[number]];
  await sql`insert into product_terms (fields) select fields from product_terms where id = ${terms}`.execute(stack.db);
  expect((await buy(full(), full())).map((product) => product.terms)).toEqual([terms, terms]);
});

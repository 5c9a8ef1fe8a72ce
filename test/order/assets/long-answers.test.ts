import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { dataOf, refusalOf } from '../../harness/api.ts';
import { MemberCenter } from '../../harness/members/member-center.ts';
import { newAssetNum, newBuy, productToBuy } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** Answers of more than 16 MiB are refused, and others are given whole (rules 6.7, 7 and 8). */
const { stack } = await testStack();
const center = await MemberCenter.open(stack);
const { api, customer } = center;

const MEBIBYTE = 1024 * 1024;

/** A product of nearly 3 MiB, in features. */
function longProduct() {
  const text = 'x'.repeat(255);
  const feature = { featureCode: text, featureName: text, featureValue: text, featureValueType: text };
  const features = Math.floor((3 * MEBIBYTE) / JSON.stringify(feature).length);
  return productToBuy({ productFeatures: Array(features).fill({ ...feature, trial: 0, trialEndDate: 0 }) });
}

it('contents of an asset', async () => {
  const assetNum = newAssetNum();
  const buy = () => api.carryOut(newBuy(customer, [assetNum], {}, { products: [longProduct()] }));
  for (let count = 0; count < 5; count++) await buy();
  const { assetId } = (await center.assets()).find((each) => each.assetNum === assetNum)!;
  const read = () => [api.call('GET', `/asset/${assetNum}`), center.ask('readAssetContents', { assetId })];
  const [asset, contents] = await Promise.all(read());
  expect(dataOf(asset!).products).toHaveLength(5);
  expect(dataOf(contents!).productInstanceList).toHaveLength(5);
  await buy();
  const message = expect.stringContaining('16 MiB');
  const [one, other] = await Promise.all(read());
  expect(refusalOf(one!)).toMatchObject({ code: '13004', cause: 'answer_too_large', message });
  expect(refusalOf(other!)).toMatchObject({ code: '40000', cause: 'answer_too_large', message });
});

it('virtual assets', async () => {
  const licenseType = 'cloud_customer';
  const buy = (count: number) =>
    api.carryOut(newBuy(customer, Array.from({ length: count }, newAssetNum), { licenseType }));
  await buy(120);
  await sql`
    update asset set extends = (
      select jsonb_object_agg(rpad(place::text, 255, '街'), repeat('街', 255)) from generate_series(1, 100) as place
    ) where license_type = ${licenseType}`.execute(stack.db);
  const path = `/asset/${customer.enterpriseGlobalId}/list`;
  const ask = (query = {}) => api.call('GET', path, { query });
  expect(refusalOf(await ask())).toMatchObject({ code: '13004', cause: 'answer_too_large' });
  expect(dataOf(await ask({ extendCode: 'none' }))).toEqual([]);
});

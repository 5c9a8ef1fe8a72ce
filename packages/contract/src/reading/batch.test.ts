import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newBuy,
  productToBuy,
} from '@lockstep/test/harness/orders/orders';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatchOrder } from '../orders/orders.ts';
import { readValidBatch } from './batch.ts';

const CUSTOMER = { customerId: '1', channelCustomerId: 'C-1', enterpriseGlobalId: '2' };
const feature = { featureCode: 'a', featureName: 'b', featureValue: 'c', featureValueType: 'd', trial: 0 };

/** A batch with every field of the interface. */
function wholeBatch() {
  const product = productToBuy({
    gmsPid: 'g',
    appKey: 'k',
    limitStartDate: 1,
    limitEndDate: 1_800_000_000_002,
    strictMatchWhenDelete: true,
    passwords: ['p'],
    srcLicenseOrderId: '8192',
    productFeatures: [{ ...feature, trialEndDate: 5 }],
  });
  const children = [merchandise({ licenseOrderProductList: [product], children: [merchandise()] })];
  const element = {
    assetExtendList: [{ extendCode: 'e', extendValue: 'v' }],
    limitStartDate: 1,
    limitEndDate: 1_800_000_000_001,
    borrowedUsbKey: true,
    transferedAssetNum: false,
    products: [product],
    merchandises: [merchandise({ children })],
  };
  return batchOf(
    newBuy(CUSTOMER, ['A-1', 'A-2'], { srcLicenseOrderId: '1' }, element),
    newBuy(CUSTOMER, ['A-3'], {}, { products: undefined, merchandises: [merchandise()] }),
    deleteAsset(CUSTOMER, ['A-1']),
    deleteProduct(CUSTOMER, ['A-2'], { limitStartDate: 1, limitEndDate: 1_800_000_000_002 }),
  );
}

/** Values that fields accept, coerce or refuse. */
const oddValue = fc.oneof(
  fc.constantFrom(null, '', ' ', ' x ', '0', 'new_buy', 'softkey', 'cloud_account', '2026-01-01', 'a\u0000', '\ud800'),
  fc.constantFrom<unknown>(0, 1, 2, -1, 1.5, 2 ** 31, 2 ** 53, true, false, [], {}, 'x'.repeat(256), ['A-1', 'A-1']),
  fc.jsonValue({ maxDepth: 2 }),
);

type Node = Record<string, unknown>;

/** All positions inside a value: the containing object or list, and the key. */
function* placesIn(value: unknown): Generator<[holder: Node, key: string]> {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    yield [value as Node, key];
    yield* placesIn((value as Node)[key]);
  }
}

/** Sets, removes or repeats the value at one position. */
const change = fc.record({ at: fc.nat(), kind: fc.constantFrom('set', 'remove', 'repeat', 'add'), value: oddValue });

function changed(changes: { at: number; kind: string; value: unknown }[]): unknown {
  const batch: unknown = JSON.parse(JSON.stringify(wholeBatch()));
  for (const { at, kind, value } of changes) {
    const places = [...placesIn(batch)];
    const [holder, key] = places[at % places.length]!;
    if (kind === 'set') holder[key] = value;
    else if (kind === 'remove') delete holder[key];
    else if (kind === 'repeat' && Array.isArray(holder)) holder.push(holder[key as unknown as number]);
    else if (!Array.isArray(holder)) holder.unknownField = value;
  }
  return batch;
}

describe('a batch parsed by generated code', () => {
  it('is accepted if the schema accepts it, with the same result', () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3, size: 'max' }), (changes) => {
        const input = changed(changes);
        const { data = null } = BatchOrder.safeParse(structuredClone(input));
        const read = readValidBatch(input);
        expect(read).toEqual(data);
        if (read !== null) taken++;
      }),
      { numRuns: 500 },
    );
    expect(taken).toBeGreaterThan(50);
    expect(taken).toBeLessThan(450);
  });

  it.each([null, undefined, 1, 'text', [], {}, { orderList: [] }, { orderList: null }])('cannot be %j', (input) => {
    expect(readValidBatch(input)).toBeNull();
  });
});

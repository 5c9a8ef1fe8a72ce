import { type Asset, createGrant, type ProductInstance } from '@lockstep/assets';
import {
  type AssetId,
  buildMessage,
  type CustomerId,
  type LicenseOrderId,
  type ProductToRevoke,
} from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import {
  type DifferingField,
  findMatches,
  listDifferences,
  listOldest,
  ProductNotFound,
  type Wanted,
} from './matching.ts';

const [ONE, TWO] = ['1' as LicenseOrderId, '2' as LicenseOrderId];

/** A product instance of order 1: gms-100 from 10 to 20, for one node. */
function instance(changes: Partial<ProductInstance> = {}): ProductInstance {
  return {
    id: '7',
    licenseOrderId: ONE,
    grant: createGrant(ONE),
    productUri: 'gms-100',
    bought: null,
    merchandise: null,
    storedHeldBy: ONE,
    revokedBy: null,
    limitStartDate: 10,
    limitEndDate: 20,
    limitConcurrent: 1,
    ...changes,
  };
}

/** What a strict delete_product for exactly that product looks for, without a source order. */
function wanted(changes: Partial<ProductToRevoke> = {}, srcLicenseOrderId?: string): Wanted {
  const product: ProductToRevoke = {
    crmProductId: 'crm-1',
    productUri: 'gms-100',
    strictMatchWhenDelete: true,
    limitStartDate: 10,
    limitEndDate: 20,
    limitConcurrent: 1,
    ...changes,
  };
  return { product, srcLicenseOrderId: srcLicenseOrderId as LicenseOrderId | undefined };
}

/** Asset 8 with these products. */
function assetWith(products: ProductInstance[]): Asset {
  return {
    id: '8' as AssetId,
    assetNum: '8',
    customerId: '1' as CustomerId,
    licenseType: 'softkey',
    extends: {},
    storedCodes: new Set<string>(),
    codeCount: 0,
    borrowedUsbKey: false,
    limitStartDate: null,
    limitEndDate: null,
    grants: [],
    areGrantsLoaded: true,
    active: { grants: 1, contents: products.length },
    products,
    revokedBy: null,
  };
}

/** The refusal of an order that matched none of these products. */
function refusalOf(products: ProductInstance[], what: Wanted): ProductNotFound {
  return new ProductNotFound(assetWith(products), what, listOldest(products));
}

describe('what matches on an asset', () => {
  it('is exactly what has no differing field', () => {
    const values = [null, 0, 10];
    const products = values.flatMap((limitStartDate) =>
      values.flatMap((limitEndDate) =>
        [ONE, TWO]
          .map((orderId) => createGrant(orderId))
          .flatMap((grant) =>
            ['gms-100', 'b'].map((productUri) => instance({ limitStartDate, limitEndDate, grant, productUri })),
          ),
      ),
    );
    const asset = assetWith(products);
    for (const { limitStartDate, limitEndDate, productUri } of products) {
      for (const strictMatchWhenDelete of [true, false]) {
        for (const source of [undefined, '1', '3']) {
          const terms = { limitStartDate: limitStartDate ?? undefined, limitEndDate: limitEndDate ?? undefined };
          const what = wanted({ productUri, strictMatchWhenDelete, ...terms }, source);
          const same = products.filter((product) => listDifferences(product, what).length === 0);
          expect(findMatches(asset, what)).toEqual(same);
        }
      }
    }
  });
});

describe('what differs', () => {
  it.each<[DifferingField, Partial<ProductInstance>]>([
    ['productUri', { productUri: 'gms-1000' }],
    ['productUri', { productUri: 'GMS-100' }],
    ['limitStartDate', { limitStartDate: 11 }],
    ['limitStartDate', { limitStartDate: null }],
    ['limitEndDate', { limitEndDate: 19 }],
    ['limitEndDate', { limitEndDate: null }],
    ['limitConcurrent', { limitConcurrent: 2 }],
    ['limitConcurrent', { limitConcurrent: 0 }],
  ])('names only %s if only that differs: %j', (field, changes) => {
    expect(listDifferences(instance(changes), wanted())).toEqual([field]);
  });

  it('names every field that differs, in the order of the order’s fields', () => {
    const other = instance({ productUri: 'b', limitStartDate: 1, limitEndDate: 2, limitConcurrent: 3 });
    const all = ['productUri', 'srcLicenseOrderId', 'limitStartDate', 'limitEndDate', 'limitConcurrent'];
    expect(listDifferences(other, wanted({}, '2'))).toEqual(all);
  });
});

describe('the nearest', () => {
  /** The ids of the nearest products, in order. */
  const idsOf = (candidates: ProductInstance[], what: Wanted) =>
    refusalOf(candidates, what).nearest.map(({ product }) => product.id);

  const far = { limitStartDate: null, limitEndDate: null, limitConcurrent: 9 };
  const many = (count: number, changes: Partial<ProductInstance>) =>
    Array.from({ length: count }, (_, index) => instance({ id: `${index + 1}`, ...changes }));
  it.each<[what: string, candidates: ProductInstance[], ids: string[], source?: string]>([
    [
      'come first if the product is the same, even if more fields differ',
      [instance({ id: 'other', productUri: 'b' }), instance({ id: 'same', grant: createGrant(TWO), ...far })],
      ['same', 'other'],
      '1',
    ],
    [
      'are sorted by the number of differing fields, including those of other products',
      [
        instance({ id: 'other 3', productUri: 'b', limitStartDate: 1, limitEndDate: 2 }),
        instance({ id: 'same 3', limitStartDate: 1, limitEndDate: 2, limitConcurrent: 3 }),
        instance({ id: 'other 1', productUri: 'b' }),
        instance({ id: 'same 1', limitConcurrent: 3 }),
        instance({ id: 'same 2', limitStartDate: 1, limitEndDate: 2 }),
      ],
      ['same 1', 'same 2', 'same 3', 'other 1', 'other 3'],
    ],
    [
      'keep the order of equally near candidates',
      ['c', 'a', 'b'].map((id) => instance({ id, limitConcurrent: 2 })),
      ['c', 'a', 'b'],
    ],
    [
      'are at most five',
      [...many(3, { id: 'far', productUri: 'b' }), ...many(4, { limitConcurrent: 2 })],
      ['1', '2', '3', '4', 'far'],
    ],
    [
      'exclude revoked products',
      [instance({ id: '1', revokedBy: TWO }), instance({ id: '3', productUri: 'b', limitConcurrent: 2 })],
      ['3'],
    ],
    [
      'come from the 100 oldest active products',
      [
        instance({ id: 'r', revokedBy: TWO, limitConcurrent: 2 }),
        ...many(99, { productUri: 'b' }),
        ...['s0', 's1'].map((id) => instance({ id, limitConcurrent: 2 })),
      ],
      ['s0', '1', '2', '3', '4'],
    ],
  ])('%s', (_, candidates, ids, source) => expect(idsOf(candidates, wanted({}, source))).toEqual(ids));

  it('are empty without candidates, and comparing changes nothing', () => {
    expect(idsOf([], wanted())).toEqual([]);
    const candidates = [instance({ id: 'b', productUri: 'b' }), instance({ id: 'a', limitConcurrent: 2 })];
    const before = structuredClone(candidates);
    refusalOf(candidates, wanted());
    expect(candidates).toEqual(before);
  });

  it('belong to a refusal that names the product and the asset', () => {
    const refusal = refusalOf([], wanted());
    expect(refusal).toMatchObject({ reason: 'product_not_found', asset: { assetNum: '8' } });
    expect(refusal.message).toBe(buildMessage('product_not_found', '8', 'gms-100'));
  });

  it.each<[Partial<ProductInstance>, string | undefined, string]>([
    [{ limitEndDate: 21 }, undefined, 'limitEndDate 21'],
    [{ limitStartDate: null, limitConcurrent: 0 }, undefined, 'limitStartDate null, limitConcurrent 0'],
    [{ productUri: 'b' }, '2', 'productUri b, srcLicenseOrderId 1'],
  ])('have the first one’s values in the message: %j', (changes, source, has) => {
    const candidates = [instance({ productUri: 'c', limitEndDate: 1, limitStartDate: 0 }), instance(changes)];
    const refusal = refusalOf(candidates, wanted({}, source));
    expect(refusal.message).toContain(` ${has}.`);
  });
});

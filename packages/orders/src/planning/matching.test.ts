import { type Asset, createGrant, type ProductInstance } from '@lockstep/assets';
import {
  type AssetId,
  buildMessage,
  type CustomerId,
  type LicenseOrderId,
  type ProductToRevoke,
} from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { listOldest, ProductNotFound, type Wanted } from './matching.ts';

const PLACE = 'assets[0].products[0]';
const [ONE, TWO] = ['1', '2'] as [LicenseOrderId, LicenseOrderId];

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
  return { product, srcLicenseOrderId: srcLicenseOrderId as LicenseOrderId | undefined, place: () => PLACE };
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

/** For their order, and what differs, see test/order/preview.test.ts; for what matches, test/model. */
describe('the nearest', () => {
  /** The ids of the nearest products, in order. */
  const idsOf = (candidates: ProductInstance[], what: Wanted) =>
    refusalOf(candidates, what).nearest.map(({ product }) => product.id);

  const many = (count: number, changes: Partial<ProductInstance>) =>
    Array.from({ length: count }, (_, index) => instance({ id: `${index + 1}`, ...changes }));
  it.each<[what: string, candidates: ProductInstance[], ids: string[]]>([
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
  ])('%s', (_, candidates, ids) => expect(idsOf(candidates, wanted())).toEqual(ids));

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
    expect(refusal.message).toBe(buildMessage('product_not_found', '8', 'gms-100', '', PLACE));
  });

  it.each<[Partial<ProductInstance>, string | undefined, string]>([
    [{ limitEndDate: 21 }, undefined, 'limitEndDate 21'],
    [{ productUri: 'GMS-100' }, undefined, 'productUri GMS-100'],
    [{ limitStartDate: null, limitConcurrent: 0 }, undefined, 'limitStartDate null, limitConcurrent 0'],
    [{ productUri: 'b' }, '2', 'productUri b, srcLicenseOrderId 1'],
  ])('have the first one’s values in the message: %j', (changes, source, has) => {
    const candidates = [instance({ productUri: 'c', limitEndDate: 1, limitStartDate: 0 }), instance(changes)];
    const refusal = refusalOf(candidates, wanted({}, source));
    expect(refusal.message).toContain(` ${has}.`);
  });
});

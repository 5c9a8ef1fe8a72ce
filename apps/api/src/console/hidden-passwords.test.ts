import { describe, expect, it } from 'vitest';
import { countHidden, hidePasswords, putBackHidden } from './hidden-passwords.ts';

/** An order with a password on a product, and one on a product in a merchandise. */
const order = (first: unknown = 'one', inside: unknown = 'two') => ({
  sequence: 1,
  customerId: '7',
  assets: [
    {
      assetNos: ['8100'],
      products: [{ productUri: 'a', passwords: ['plain', first] }, { productUri: 'b' }],
      merchandises: [
        {
          children: [{ licenseOrderProductList: [{ productUri: 'c', passwords: [inside] }] }],
          licenseOrderProductList: [],
        },
      ],
    },
  ],
});
const hidden = () => order('(hidden)', '(hidden)');
const PATHS = [
  'orderList[0].assets[0].products[0].passwords[1]',
  'orderList[0].assets[0].merchandises[0].children[0].licenseOrderProductList[0].passwords[0]',
];

describe('hidden passwords', () => {
  it('replace all passwords, and change nothing else', () => {
    const other = { customerName: '"passwords":["b"]', passwords: undefined, assets: [{ assetNos: ['8100'] }] };
    const all = hidden();
    all.assets[0]!.products[0]!.passwords = ['(hidden)', '(hidden)'];
    expect(hidePasswords([0, order(), other])).toEqual([0, all, other]);
  });

  it('are counted, and put back where they were', () => {
    const edited = [{ ...hidden(), customerName: 'Changed' }];
    expect(countHidden(edited)).toBe(2);
    expect(putBackHidden(edited, [{ sequence: 2 }, order()])).toEqual([]);
    expect(edited).toEqual([{ ...order(), customerName: 'Changed' }]);
  });

  it('are put back for no other customer and in no other place', () => {
    const elsewhere = [
      { ...hidden(), customerId: '8' },
      { ...hidden(), sequence: 2 },
      { ...hidden(), assets: [{ ...hidden().assets[0]!, assetNos: ['8200'] }] },
    ];
    for (const edited of elsewhere) {
      const before = structuredClone(edited);
      expect(putBackHidden([edited], [order()])).toEqual(PATHS);
      expect(edited).toEqual(before);
    }
    const otherProduct = hidden();
    otherProduct.assets[0]!.products[0]!.productUri = 'b';
    expect(putBackHidden([otherProduct], [order()])).toEqual(PATHS.slice(0, 1));
  });

  it('may be replaced, and can’t be put back if there was no password', () => {
    const replaced = [order('new', 'newer')];
    expect(putBackHidden(replaced, [order()])).toEqual([]);
    expect(replaced).toEqual([order('new', 'newer')]);
    const longer = [
      { ...order(), assets: [{ assetNos: ['8100'], products: [{ productUri: 'b', passwords: ['(hidden)'] }] }] },
    ];
    expect(putBackHidden(longer, [order()])).toEqual(['orderList[0].assets[0].products[0].passwords[0]']);
  });

  it('tolerate malformed orders', () => {
    const nonsense = [null, 3, 'text', { assets: 'x' }, { assets: [null, { products: [null, { passwords: 'x' }] }] }];
    expect(putBackHidden(nonsense, [order()])).toEqual([]);
  });
});

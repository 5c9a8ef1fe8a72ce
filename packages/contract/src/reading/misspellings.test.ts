import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newBuy,
  productToBuy,
  productToRevoke,
  type Sent,
} from '@lockstep/test/harness/orders/orders';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { buildMessage, type Refusal } from '../causes.ts';
import { consoleOperations } from '../console/index.ts';
import { EditEmployee, ListEmployees } from '../members/employees.ts';
import { AddEmployees } from '../members/new-employees.ts';
import { operations } from '../operations/index.ts';
import { CreateEnterprise } from '../orders/customers.ts';
import { ListOrdersQuery } from '../orders/lists.ts';
import { BatchOrder } from '../orders/orders.ts';
import { MAX_IGNORED_FIELDS } from '../orders/preview.ts';
import { CreateWebhook, ReplayEvents } from '../webhooks.ts';
import { checkBody, findUnknownFields, isMisspelling, isWithinEdits, parseBody, parseQuery } from './misspellings.ts';

const CUSTOMER = { customerId: '1', channelCustomerId: 'C-1', enterpriseGlobalId: '2' };

/** The optimal string alignment distance, by its textbook table. */
function distanceOf(from: string, to: string): number {
  const table = Array.from({ length: from.length + 1 }, (_, row) =>
    Array.from({ length: to.length + 1 }, (__, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number) => table[row]![column]!;
  for (let row = 1; row <= from.length; row++) {
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      let best = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1));
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap) best = Math.min(best, at(row - 2, column - 2) + 1);
      table[row]![column] = best;
    }
  }
  return at(from.length, to.length);
}

describe('isWithinEdits', () => {
  /** Few letters, so that strings are often similar. */
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });

  it('agrees with the textbook distance', () => {
    fc.assert(
      fc.property(word, word, fc.nat(3), (from, to, edits) => {
        expect(isWithinEdits(from, to, edits)).toBe(distanceOf(from, to) <= edits);
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('the misspellings of a name', () => {
  it.each([
    [
      'limitEndDate',
      [
        ...['limitEnddate', 'limit_end_date', 'LIMIT-END-DATE', 'limitEndDat', 'limitEndDaet', 'limitEnDdaet'],
        ...['limtEndDtae', 'limitEndDat3'],
      ],
    ],
    ['transferedAssetNum', ['transferredAssetNum']],
    ['address', ['adress', 'addresss', 'adrdess']],
    ['passwords', ['password']],
    ['appKey', ['appkey', 'apKey']],
    ['after', ['After', 'a-fter']],
  ])('of %s include %j', (known, names) => {
    expect(names.filter((name) => !isMisspelling(name, known))).toEqual([]);
  });

  it.each([
    ['address', ['address2', 'Address_12', '2address', 'adres', '']],
    [
      'limitEndDate',
      ['limitEndDate2', 'limitEndDate20', 'limitEnddate2', 'limit2EndDate', 'limitEndTime', 'limitEndDateText'],
    ],
    ['appKey', ['appKey2b']],
    ['after', ['afte', 'aftre']],
  ])('of %s do not include %j', (known, names) => {
    expect(names.filter((name) => isMisspelling(name, known))).toEqual([]);
  });
});

describe('a query', () => {
  /** The path and cause of the first fault of a query. */
  function faultOf(schema: z.ZodType, query: Record<string, unknown>): [path: string, cause: string] | undefined {
    try {
      parseQuery(schema, query);
      return undefined;
    } catch (error) {
      const { reason, faults } = error as Refusal;
      return [faults![0]!.path, reason];
    }
  }

  it.each([
    ['stat', 'failed'],
    ['State', 'failed'],
    ['staet', 'failed'],
    ['limt', '5'],
    ['curser', 'a'],
    ['cuase', 'cancelled'],
    ['assetNums', 'A'],
    ['acceptedFrm', '5'],
  ])('is refused for %s', (name, value) => {
    expect(faultOf(ListOrdersQuery, { [name]: value })).toEqual([name, 'field_misspelled']);
    expect(faultOf(ListOrdersQuery, { [name]: [value, value] })).toEqual([name, 'field_misspelled']);
  });

  it.each([
    [{ from: '1', form: '2', to: '3', q: '4', _: '5', page: '6', sort: '7', status: '8', state2: '9' }],
    [{ state: 'failed', stat: 'failed' }],
    [{ x: ['1', '2'] }],
  ])('may have other names: %j', (query) => {
    expect(faultOf(ListOrdersQuery, query)).toBeUndefined();
  });

  it('is refused for the likely name of a required parameter', () => {
    expect(faultOf(ListEmployees, { pagenum: '1', pageSize: '1' })).toEqual(['pagenum', 'field_misspelled']);
  });

  it('may not repeat a parameter, but report one fault for it', () => {
    expect(faultOf(ListOrdersQuery, { state: ['failed', 'x'] })).toEqual(['state', 'field_repeated']);
    expect(faultOf(ListEmployees, { pageNum: ['1', '1'], pageSize: '1' })).toEqual(['pageNum', 'field_repeated']);
  });

  it('may have any parameter of other operations', () => {
    const all = [...Object.values(operations), ...Object.values(consoleOperations)] as { query?: z.ZodType }[];
    const queries = all.flatMap(({ query }) => (query === undefined ? [] : [query as z.ZodObject]));
    const names = [...new Set(queries.flatMap(({ shape }) => Object.keys(shape)))];
    expect(names.length).toBeGreaterThan(20);
    for (const query of queries) {
      for (const name of names.filter((each) => !(each in query.shape))) {
        expect([name, faultOf(query, { [name]: '1' })?.[1]]).not.toEqual([name, 'field_misspelled']);
      }
    }
  });
});

/** The misspelled fields of a body by their paths, with what was meant. */
function misspelledIn(schema: Parameters<typeof findUnknownFields>[0], body: unknown): [path: string, meant: string][] {
  return findUnknownFields(schema, body).misspelled.map(({ path, ...issue }) => {
    return [path.join('.'), (issue as { params?: { values: [string] } }).params!.values[0]];
  });
}

const END = 1_798_761_599_999;
const misspelled = (order: Sent) => misspelledIn(BatchOrder, batchOf(order));

describe('a batch with a misspelled field', () => {
  it.each<[what: string, order: Sent, path: string, meant: string]>([
    ['in an order', newBuy(CUSTOMER, ['A'], { srclicenseOrderId: '1' }), 'srclicenseOrderId', 'srcLicenseOrderId'],
    [
      'in an element',
      newBuy(CUSTOMER, ['A'], {}, { borrowedUSBKey: true }),
      'assets.0.borrowedUSBKey',
      'borrowedUsbKey',
    ],
    [
      'in a product',
      newBuy(CUSTOMER, ['A'], {}, { products: [productToBuy(), productToBuy({ limitEnddate: END })] }),
      'assets.0.products.1.limitEnddate',
      'limitEndDate',
    ],
    [
      'in merchandise inside of merchandise',
      newBuy(CUSTOMER, ['A'], {}, { merchandises: [merchandise({ children: [merchandise({ childrens: [] })] })] }),
      'assets.0.merchandises.0.children.0.childrens',
      'children',
    ],
    [
      'beside a null',
      newBuy(CUSTOMER, ['A'], {}, { products: [productToBuy({ limitEnddate: END, limitEndDate: null })] }),
      'assets.0.products.0.limitEnddate',
      'limitEndDate',
    ],
    [
      'beside an empty text',
      newBuy(CUSTOMER, ['A'], {}, { products: [productToBuy({ gmsPId: 'g', gmsPid: ' ' })] }),
      'assets.0.products.0.gmsPId',
      'gmsPid',
    ],
    [
      'beside an empty list',
      newBuy(CUSTOMER, ['A'], {}, { products: [], product: [productToBuy()], merchandises: [merchandise()] }),
      'assets.0.product',
      'products',
    ],
    [
      'for a required one',
      { ...newBuy(CUSTOMER, ['A']), customerName: undefined, custmerName: 'x' },
      'custmerName',
      'customerName',
    ],
    [
      'in a product to revoke',
      deleteProduct(CUSTOMER, [], {}, { assets: [strictly('strictMatchWenDelete')] }),
      'assets.0.products.0.strictMatchWenDelete',
      'strictMatchWhenDelete',
    ],
  ])('%s is refused', (_what, order, path, meant) => {
    expect(misspelled(order)).toEqual([[`orderList.0.${path}`, meant]]);
  });

  function strictly(name: string): Sent {
    const { strictMatchWhenDelete, ...product } = productToRevoke();
    return { assetNos: ['A'], products: [{ ...product, [name]: strictMatchWhenDelete }] };
  }

  const emptyParent = productToBuy({ parentCrmProductId: null, parentcrmProductId: 'P' });

  it.each<[what: string, order: Sent]>([
    [
      'beside the right one',
      newBuy(CUSTOMER, ['A'], {}, { products: [productToBuy({ limitEnddate: 1, limitEndDate: END })] }),
    ],
    ['that answers have', newBuy(CUSTOMER, ['A'], {}, { assetNum: 'A', createTime: 1, updateTime: 2 })],
    ['with digits behind it', newBuy(CUSTOMER, ['A'], { srcLicenseOrderId2: '1' }, { limitEndDate2: 1 })],
    [
      'of another type of order',
      deleteAsset(CUSTOMER, ['A'], { assets: [{ assetNos: ['A'], products: [], limitEndDate: 1 }] }),
    ],
    [
      'near one that another type has',
      deleteAsset(CUSTOMER, ['A'], { assets: [{ assetNos: ['A'], limitEnddate: 1 }] }),
    ],
    ['near a required one that is there', newBuy(CUSTOMER, ['A'], { custmerName: 'x' })],
    ['near a required one that may be empty', newBuy(CUSTOMER, ['A'], {}, { products: [emptyParent] })],
    ['inside of an unknown one', newBuy(CUSTOMER, ['A'], { more: { limitEnddate: 1 } })],
  ])('%s is taken', (_what, order) => {
    expect(misspelled(order)).toEqual([]);
  });

  it('is looked at however many other faults there are', () => {
    for (const body of [
      null,
      5,
      [],
      {},
      { orderList: 'a' },
      { orderList: [null, { orderType: 'none', srcLicenseOrderid: 1 }] },
    ]) {
      expect(misspelledIn(BatchOrder, body)).toEqual([]);
    }
    const broken = {
      orderList: [{ orderType: 'new_buy', assets: [{ products: { limitEnddate: 1 }, limitEnddate: 1 }] }],
    };
    expect(misspelledIn(BatchOrder, broken)).toEqual([['orderList.0.assets.0.limitEnddate', 'limitEndDate']]);
  });

  it('reports a limited number of faults', () => {
    const elements = Array.from({ length: 5_000 }, () => ({ assetNos: ['A'], limitEnddate: 1, other: 1 }));
    const found = findUnknownFields(BatchOrder, batchOf(newBuy(CUSTOMER, ['A'], { assets: elements })));
    expect(found.misspelled).toHaveLength(100);
    expect(found.ignored).toHaveLength(MAX_IGNORED_FIELDS);
    expect(found.ignored[1]).toBe('orderList[0].assets[1].other');
  });
});

describe('a name of another interface for a date', () => {
  it.each([
    ...['limitEndTime', 'endDate', 'end_time', 'END', 'EndsAt', 'expiryDate', 'expireTime', 'expires-at', 'expires'],
    ...['expirationDate', 'Expiration', 'expiredTime', 'validTo', 'valid_until', 'validThrough', 'validityEndDate'],
    ...['effectiveTo', 'effective_end_date', 'licenseExpiry', 'licenceEnd', 'toDate', 'dateTo', 'notAfter', 'until'],
    ...['deadline', 'stopTime', 'invalidTime', 'productEndTime', 'limitEnd', 'end date', 'limit.end.time'],
    ...['expDate', 'exp', 'endTimeMs', 'endDt', 'limitEndDate_ms', 'limit_end_date_utc', 'licenseValidTo', 'termEnd'],
    ...['expiryTimestampMs', 'activeUntil', 'validityDate', '到期时间', '过期时间', '结束日期', '有效期', '有效期至'],
  ])('%s is refused for an end', (name) => {
    for (const order of ordersWith({ [name]: END })) expect(meantIn(order)).toEqual(['limitEndDate']);
  });

  it.each([
    ...['limitStartTime', 'startDate', 'start_time', 'START', 'startsAt', 'beginDate', 'beginTime', 'validFrom'],
    ...['effectiveFrom', 'effectiveDate', 'effective_time', 'fromDate', 'notBefore', 'since', 'limitBegin', '生效时间'],
    ...['startTimeMs', 'startDt', 'activeFrom', 'limitStartDateMs'],
  ])('%s is refused for a start', (name) => {
    for (const order of ordersWith({ [name]: 5 })) expect(meantIn(order)).toEqual(['limitStartDate']);
  });

  it.each([
    ...['trend', 'vendor', 'startup', 'from', 'to', 'dueDate', 'endUser', 'backend', 'serviceEndDate', 'createTime'],
  ])('%s is another one', (name) => {
    for (const order of ordersWith({ [name]: END })) expect(misspelled(order)).toEqual([]);
  });

  it.each([false, null, {}])('with the value %j is a flag', (value) => {
    for (const order of ordersWith({ expired: value, invalid: value, stop: value }))
      expect(misspelled(order)).toEqual([]);
  });

  it('is ignored beside the right one', () => {
    const order = newBuy(CUSTOMER, ['A'], {}, { limitEndDate: END, limitEndTime: 5, limitStartDate: 5, startTime: 5 });
    expect(misspelled(order)).toEqual([]);
  });

  const meantIn = (order: Sent) => misspelled(order).map(([, meant]) => meant);
  /** Orders with these fields in each object that has dates. */
  const ordersWith = (fields: Sent) => [
    newBuy(CUSTOMER, ['A'], {}, fields),
    newBuy(CUSTOMER, ['A'], {}, { products: [productToBuy(fields)] }),
    newBuy(CUSTOMER, ['A'], {}, { merchandises: [merchandise({ licenseOrderProductList: [productToBuy(fields)] })] }),
    deleteProduct(CUSTOMER, ['A'], fields),
  ];
});

describe('other bodies', () => {
  it.each<[string, Parameters<typeof findUnknownFields>[0], Sent, [string, string]]>([
    ['O2 and O4', CreateEnterprise, { adress: 'a' }, ['adress', 'address']],
    ['M1', AddEmployees, { userList: [{ passwordmobile: '1' }] }, ['userList.0.passwordmobile', 'passwordMobile']],
    ['O2, for a required field', CreateEnterprise, { customer_name: 'a' }, ['customer_name', 'customerName']],
    ['M2', EditEmployee, { departmentID: 5 }, ['departmentID', 'departmentId']],
    ['a webhook', CreateWebhook, { descripton: 'a' }, ['descripton', 'description']],
    ['a replay', ReplayEvents, { After: '1' }, ['After', 'after']],
  ])('%s', (_what, schema, body, found) => {
    expect(misspelledIn(schema, body)).toEqual([found]);
  });

  it.each([undefined, null])('may be %s if no field is required', (body) => {
    expect(parseBody(ReplayEvents, body)).toEqual({});
    expect(() => parseBody(CreateWebhook, body)).toThrow(buildMessage('field_missing', 'body'));
  });

  it('are refused with the path of the field and its likely name', () => {
    const body = { crmCustomerId: 'c', customerName: 'n', branchName: 'b', adress: 'a' };
    const checked = checkBody(CreateEnterprise, body);
    expect(checked).toMatchObject({
      ok: false,
      refusal: { reason: 'field_misspelled', message: buildMessage('field_misspelled', 'adress', 'address') },
    });
    const { customerName, adress: _, ...others } = body;
    expect(checkBody(CreateEnterprise, { ...others, custmerName: customerName })).toMatchObject({
      refusal: {
        reason: 'field_misspelled',
        args: ['custmerName', 'customerName'],
        faults: [{ path: 'custmerName' }, { path: 'customerName', cause: 'field_missing' }],
      },
    });
  });
});

import { expect, it } from 'vitest';
import { buildMessage, type Cause, causes, findConcerned, Refusal } from './causes.ts';
import { ORDER_FAILURES } from './words.ts';

it('fills in the values of a message', () => {
  const [before, after] = causes.enterprise_mismatch.message.split('{0}');
  expect(buildMessage('enterprise_mismatch', 7, 'E')).toBe(`${before}7${after!.replace('{1}', 'E')}`);
});

it('leaves out a part whose value is not given', () => {
  const [before, after] = causes.asset_not_in_source_order.message.split(/\[.*\]/);
  expect(buildMessage('asset_not_in_source_order', 'A')).toBe(
    `${before}${after}`.replace('{0}', 'A').replace('{1}', ''),
  );
});

it('shortens a long value', () => {
  const { message, args } = new Refusal('list_too_long', '😀'.repeat(10_000_000), 2_000);
  expect(message).toMatch(/^(😀){999}…: /u);
  expect(message).toContain('2000');
  expect(Array.from(message).length).toBeLessThan(1_100);
  expect(message.isWellFormed()).toBe(true);
  expect(args).toEqual([`${'😀'.repeat(999)}…`, '2000']);
});

it.each(['{1}', '[{1}]', 'constructor'])('leaves %s in a value as it is', (value) => {
  expect(buildMessage('enterprise_mismatch', value, 'E')).toContain(value);
  expect(buildMessage('field_invalid', value, value)).toBe(`${value}: ${value}`);
});

// What is stored outlives the code: each of these stays, and says the same in better words.
const STORED: readonly [cause: Cause, ...args: string[]][] = [
  ['customer_not_found', '2001'],
  ['enterprise_mismatch', '2001', '1001'],
  ['source_order_not_found', '8192'],
  ['source_order_not_found', '8192', '2001'],
  ['source_order_not_found', '8192', '', 'assets[1].products[0].srcLicenseOrderId'],
  ['asset_owned_by_other_customer', '8000000001', 'assets[1].assetNos[0]'],
  ['license_type_mismatch', '8000000001', 'softkey', 'lan_softkey', 'assets[1].assetNos[0]'],
  ['asset_not_found', '8000000001', '', 'assets[1].assetNos[0]'],
  ['asset_not_found', '8000000001', 'of_customer', 'assets[1].assetNos[0]'],
  ['asset_not_in_source_order', '8000000001', '8192', 'assets[1].assetNos[0]'],
  ['product_not_found', '8000000001', 'gms-100', '', 'assets[1].products[0]'],
  ['product_not_found', '8000000001', 'gms-100', 'limitEndDate null, limitConcurrent 5', 'assets[1].products[0]'],
  ['asset_full', '8000000001', '2000', 'grants', 'assets[1].assetNos[0]'],
  ['asset_full', '8000000001', '100', 'attributes', 'assets[1].assetNos[0]'],
  ['asset_full', '8000000001', '2000', 'contents', 'assets[1].assetNos[0]'],
  ['order_too_large', '10000', 'changes', '8000000001', 'assets[1].assetNos[0]'],
  ['order_too_large', '10000', 'grants_of_assets', '8000000001', 'assets[1].assetNos[0]'],
  ['order_too_large', '100000', 'held', '8000000001', 'assets[1].assetNos[0]'],
  ['dates_reversed', 'limitStartDate', '8000000001', '5', '4', 'assets[1].limitEndDate'],
  ['cancelled'],
  ['internal_error'],
];

it('reads each failure of an order as it was stored', () => {
  expect(new Set(STORED.map(([cause]) => cause))).toEqual(new Set(ORDER_FAILURES));
  expect(STORED.map(([cause, ...args]) => buildMessage(cause, ...args))).toMatchInlineSnapshot(`
    [
      "Customer 2001 does not exist.",
      "Customer 2001 does not belong to enterprise 1001. Send the enterpriseGlobalId that O3 returns for this customer.",
      "srcLicenseOrderId 8192 is not a succeeded new_buy order.",
      "srcLicenseOrderId 8192 is not a succeeded new_buy order of customer 2001.",
      "srcLicenseOrderId 8192 (assets[1].products[0].srcLicenseOrderId) is not a succeeded new_buy order.",
      "Asset 8000000001 (assets[1].assetNos[0]) belongs to another customer. To transfer it, set transferedAssetNum to true.",
      "Asset 8000000001 (assets[1].assetNos[0]) has license type softkey, but the order says lan_softkey.",
      "Asset 8000000001 (assets[1].assetNos[0]) is not an active asset.",
      "Asset 8000000001 (assets[1].assetNos[0]) is not an active asset of the customer.",
      "Asset 8000000001 (assets[1].assetNos[0]) has no active grant from srcLicenseOrderId 8192.",
      "Asset 8000000001 has no active product gms-100 (assets[1].products[0]) that matches.",
      "Asset 8000000001 has no active product gms-100 (assets[1].products[0]) that matches; the nearest one has limitEndDate null, limitConcurrent 5.",
      "Asset 8000000001 (assets[1].assetNos[0]) would exceed the limit of 2000 grants. Use a different asset.",
      "Asset 8000000001 (assets[1].assetNos[0]) would exceed the limit of 100 extended attributes. Use a different asset.",
      "Asset 8000000001 (assets[1].assetNos[0]) would exceed the limit of 2000 active products and merchandise. Use a different asset.",
      "The order exceeds the limit of 10000 products and merchandise to change at asset 8000000001 (assets[1].assetNos[0]). Split its asset numbers over several orders.",
      "The order exceeds the limit of 10000 grants on its assets at asset 8000000001 (assets[1].assetNos[0]). Split its asset numbers over several orders.",
      "The order exceeds the limit of 100000 products, merchandise and grants on its assets at asset 8000000001 (assets[1].assetNos[0]). Split its asset numbers over several orders.",
      "limitStartDate 5 of asset 8000000001 (assets[1].limitEndDate): must not be after the end 4",
      "The order was cancelled before it took effect.",
      "The order failed because of a fault in the service. Contact the operator of the service, who can retry it.",
    ]
  `);
});

it('names the asset and the part of the order that a failure concerns', () => {
  const concerned = STORED.map(([cause, ...args]) => findConcerned(cause, args));
  const all = concerned.map(({ assetNums, places }) => [...assetNums, 'in', ...places].join(' '));
  expect(all).toMatchInlineSnapshot(`
    [
      "in customerId",
      "in enterpriseGlobalId",
      "in srcLicenseOrderId",
      "in srcLicenseOrderId",
      "in assets[1].products[0].srcLicenseOrderId",
      "8000000001 in assets[1].assetNos[0]",
      "8000000001 in assets[1].assetNos[0]",
      "8000000001 in assets[1].assetNos[0]",
      "8000000001 in assets[1].assetNos[0]",
      "8000000001 in assets[1].assetNos[0]",
      "8000000001 in assets[1].products[0]",
      "8000000001 in assets[1].products[0]",
      "8000000001 in assets[1].assetNos[0]",
      "8000000001 in assets[1].assetNos[0]",
      "8000000001 in assets[1].assetNos[0]",
      "8000000001 in assets[1].assetNos[0]",
      "8000000001 in assets[1].assetNos[0]",
      "8000000001 in assets[1].assetNos[0]",
      "8000000001 in assets[1].limitEndDate",
      "in",
      "in",
    ]
  `);
});

it('reads a stored cause of a later release', () => {
  expect(findConcerned('later_cause' as Cause, ['8000000001'])).toEqual({ assetNums: [], places: [] });
  expect(buildMessage('later_cause' as Cause, '8000000001')).toBe('later_cause');
});

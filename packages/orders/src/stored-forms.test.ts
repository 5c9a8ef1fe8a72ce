import { type ApplicationId, BatchOrder } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { DIGESTS, PAYLOADS, SENT } from '../../../test/harness/stored-forms.ts';
import { prepareBatch } from './prepare.ts';
import { cutOrderText, PayloadFault, readStoredOrders, writeStoredOrders } from './stored-orders.ts';

/** The same value, its objects' keys in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, shuffled(inner)]),
  );
}

describe('what this release stores', () => {
  it.each(['async', 'sync'] as const)('is what version 1 stored, byte for byte, of a batch sent %s', (syncMode) => {
    const prepared = prepareBatch('1' as ApplicationId, BatchOrder.parse({ ...SENT, syncMode }));
    expect(prepared.digest.toString('hex')).toBe(DIGESTS[syncMode]);
    expect(Object.fromEntries(prepared.chunks.map(({ lane, payload }) => [lane, payload]))).toEqual(PAYLOADS);
  });

  it('is the same whatever order the fields were sent in, whatever fields a later release knows', () => {
    const later = BatchOrder.parse(shuffled(SENT));
    const reordered = shuffled(later) as typeof later;
    for (const order of reordered.orderList) Object.assign(order, { laterField: 'new', another: undefined });
    const prepared = prepareBatch('1' as ApplicationId, reordered);
    expect(prepared.digest.toString('hex')).toBe(DIGESTS.async);
    expect(Object.fromEntries(prepared.chunks.map(({ lane, payload }) => [lane, payload]))).toEqual(PAYLOADS);
  });
});

describe('stored orders', () => {
  it('are read as they were written', () => {
    for (const payload of Object.values(PAYLOADS)) {
      expect(JSON.stringify(readStoredOrders(1, payload))).toBe(payload);
    }
  });

  it('alone are cut out byte for byte', () => {
    for (const payload of Object.values(PAYLOADS)) {
      for (const placed of readStoredOrders(1, payload)) {
        const text = cutOrderText(1, writeStoredOrders([placed]));
        expect(text).toBe(JSON.stringify(placed[1]));
        expect(payload).toContain(text);
      }
    }
  });

  it.each<[string, number, string]>([
    ['of a newer version', 2, '[[0,{"sequence":1}]]'],
    ['that is cut off', 1, '[[0,{"sequence":1}'],
    ['without a place', 1, '[[{"sequence":1}]]'],
    ['that is no list', 1, '{}'],
    ['that is empty', 1, ''],
  ])('a text %s is not cut', (_, version, text) => {
    expect(() => cutOrderText(version, text)).toThrow(PayloadFault);
  });

  const payload = PAYLOADS[7]!;
  it.each<[string, number, string]>([
    ['of a newer version', 2, payload],
    ['of none', 0, payload],
    ['that are no JSON', 1, payload.slice(1)],
    ['that are no list', 1, '{}'],
    ['without their places', 1, payload.replace('[0,', '[').replace('[2,', '[')],
    ['at a place that no batch has', 1, payload.replace('[0,', '[8192,')],
    ['of an unknown type', 1, payload.replace('"new_buy"', '"new_gift"')],
    ['of a type that every object has', 1, payload.replace('"new_buy"', '"toString"')],
    ['without a customer', 1, payload.replace('"customerId":"1",', '')],
    ['whose customer is a number', 1, payload.replace('"customerId":"1"', '"customerId":1')],
    ['without assets', 1, payload.replace('"assets":[{"assetNos":["A2"]}]', '"assets":null')],
    ['whose numbers are no texts', 1, payload.replace('["A1","A2"]', '["A1",2]')],
    ['whose products lack a field', 1, payload.replace('"limitConcurrent":1,', '')],
    ['whose inner merchandise lacks a field', 1, payload.replace('"merchandiseNum":"M-2",', '')],
    ['whose feature lacks a field', 1, payload.replace('"featureCode":"seats",', '')],
  ])('%s are a fault of the service', (_, version, text) => {
    expect(text === payload && version === 1).toBe(false);
    expect(() => readStoredOrders(version, text)).toThrow(PayloadFault);
  });
});

import { type ApplicationId, BatchOrder, type CustomerId, readBatchOrder } from '@lockstep/contract';
import { DIGESTS, PAYLOADS, SENT } from '@lockstep/test/harness/databases/stored-forms';
import { describe, expect, it } from 'vitest';
import { prepareBatch } from './accepting/prepare.ts';
import { cutOrderText, PayloadFault, readStoredOrders, writeStoredOrders } from './stored-orders.ts';

/** The same value with the keys of its objects in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, shuffled(inner)]),
  );
}

const KNOWN = new Map(SENT.orderList.map(({ customerId }) => [customerId as CustomerId, 0]));

describe('what this release stores', () => {
  it.each(['async', 'sync'] as const)(
    'equals what version 1 stored, byte for byte, for a batch sent %s',
    (syncMode) => {
      const prepared = prepareBatch('1' as ApplicationId, BatchOrder.parse({ ...SENT, syncMode }), KNOWN);
      expect(prepared.digest.toString('hex')).toBe(DIGESTS[syncMode]);
      expect(Object.fromEntries(prepared.chunks.map(({ lane, payload }) => [lane, payload]))).toEqual(PAYLOADS);
    },
  );

  it('does not depend on the order of fields or on unknown fields', () => {
    const sent = shuffled(SENT) as { orderList: object[] };
    for (const order of sent.orderList) Object.assign(order, { laterField: 'new' });
    const { batch } = readBatchOrder(Buffer.from(JSON.stringify(sent)));
    const prepared = prepareBatch('1' as ApplicationId, batch, KNOWN);
    expect(prepared.digest.toString('hex')).toBe(DIGESTS.async);
    expect(Object.fromEntries(prepared.chunks.map(({ lane, payload }) => [lane, payload]))).toEqual(PAYLOADS);
  });

  it('of orders of unknown customers equals what is kept of orders that fail later', () => {
    const batch = BatchOrder.parse(SENT);
    const { digest, chunks, unknownOrders } = prepareBatch('1' as ApplicationId, batch, new Map());
    expect([digest.toString('hex'), chunks]).toEqual([DIGESTS.async, []]);
    const placed = Object.values(PAYLOADS).flatMap((payload) => readStoredOrders(1, payload));
    expect(unknownOrders.map(({ content }) => content)).toEqual(
      placed.toSorted(([a], [b]) => a - b).map((each) => writeStoredOrders([each])),
    );
    expect(unknownOrders.map(({ assetNums }) => assetNums)).toEqual([['A1', 'A2'], ['A1'], ['A2']]);
  });
});

describe('stored orders', () => {
  it('are read as written', () => {
    for (const payload of Object.values(PAYLOADS)) {
      expect(JSON.stringify(readStoredOrders(1, payload))).toBe(payload);
    }
  });

  it('are cut out byte for byte when alone', () => {
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
    ['that is not a list', 1, '{}'],
    ['that is empty', 1, ''],
  ])('a text %s is not cut', (_, version, text) => {
    expect(() => cutOrderText(version, text)).toThrow(PayloadFault);
  });

  const payload = PAYLOADS[3]!;
  it.each<[string, number, string]>([
    ['of a newer version', 2, payload],
    ['of version 0', 0, payload],
    ['that are not JSON', 1, payload.slice(1)],
    ['that are not a list', 1, '{}'],
    ['without their places', 1, payload.replace('[0,', '[').replace('[2,', '[')],
    ['at a place beyond the end of any batch', 1, payload.replace('[0,', '[8192,')],
    ['of an unknown type', 1, payload.replace('"new_buy"', '"new_gift"')],
    ['without a sequence', 1, payload.replace('"sequence"', '"place"')],
    ['without a customer', 1, payload.replace('"customerId"', '"customer"')],
    ['with an asset number that is no text', 1, payload.replace('"A2"', '2')],
    ['of a type that is a property of every object', 1, payload.replace('"new_buy"', '"toString"')],
  ])('%s are a fault of the service', (_, version, text) => {
    expect(text === payload && version === 1).toBe(false);
    expect(() => readStoredOrders(version, text)).toThrow(PayloadFault);
  });
});

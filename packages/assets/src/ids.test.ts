import { type BatchId, type LicenseOrderId, MAX_ORDERS_PER_BATCH } from '@lockstep/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { licenseOrderIdOf, splitOrderId } from './ids.ts';

/** The highest id that the batch table accepts. */
const MAX_BATCH_ID = 1_099_511_627_775n;

it.each([
  ['1', 0, '8192'],
  ['1', 4_999, '13191'],
  ['2', 0, '16384'],
  [String(MAX_BATCH_ID), 4_999, '9007199254737799'],
])('gives the order of batch %s at index %i the id %s', (batchId, index, id) => {
  expect(licenseOrderIdOf(batchId as BatchId, index)).toBe(id);
  expect(splitOrderId(id as LicenseOrderId)).toEqual({ batchId, index });
});

it('gives every order of every batch an id of its own that leads back to it', () => {
  const batchId = fc.bigInt({ min: 1n, max: MAX_BATCH_ID }).map((id) => String(id) as BatchId);
  const index = fc.nat(MAX_ORDERS_PER_BATCH - 1);
  fc.assert(
    fc.property(batchId, index, (batchId, index) => {
      const id = licenseOrderIdOf(batchId, index);
      expect(splitOrderId(id)).toEqual({ batchId, index });
      expect(Number.isSafeInteger(Number(id))).toBe(true);
    }),
  );
});

it('takes any digits apart, ids that were never given too', () => {
  expect(splitOrderId('0' as LicenseOrderId)).toEqual({ batchId: '0', index: 0 });
  expect(splitOrderId('9999999999999999999' as LicenseOrderId)).toEqual({ batchId: '1220703124999999', index: 8_191 });
});

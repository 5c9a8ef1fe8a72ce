import type { SearchHit } from '@lockstep/contract/console';
import { expect, it } from 'vitest';
import { findSoleHit } from './sole-hit.ts';

const batch: SearchHit = { kind: 'batch', id: '2', name: 'WEB-0002', detail: 'Shop' };
const shop: SearchHit = { kind: 'enterprise', id: '1001', name: 'WEB-0002 & Co', detail: null };

it('is what the text names in full, alone', () => {
  expect(findSoleHit([batch], '2')).toBe(batch);
  expect(findSoleHit([batch], 'WEB-0002')).toBe(batch);
  expect(findSoleHit([shop], 'WEB-0002')).toBeUndefined();
  expect(findSoleHit([batch, shop], 'WEB-0002')).toBeUndefined();
  expect(findSoleHit([], 'WEB-0002')).toBeUndefined();
});

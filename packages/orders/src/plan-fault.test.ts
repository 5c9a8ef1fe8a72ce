import pg from 'pg';
import { expect, it } from 'vitest';
import { mayLieInOneOrder } from './plan-fault.ts';

/** A unique violation, as PostgreSQL reports it. */
function uniqueViolation(constraint: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('duplicate key', 0, 'error'), { code: '23505', constraint });
}

it('a failure may lie in one order when a row exists that was not expected', () => {
  expect(mayLieInOneOrder(uniqueViolation('license_order_pkey'))).toBe(true);
});

it('a failure does not lie in one order when two lanes buy one number', () => {
  expect(mayLieInOneOrder(uniqueViolation('asset_active_number'))).toBe(false);
});

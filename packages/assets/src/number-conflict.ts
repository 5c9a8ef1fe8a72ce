import { violatesUnique } from '@lockstep/platform';

/**
 * Whether a purchase lost an asset number to another transaction: two lanes may buy one number at the same time. This
 * is no fault of the order: when it runs again, it sees the other one's asset.
 */
export function isNumberConflict(error: unknown): boolean {
  return violatesUnique(error, 'asset_active_number');
}

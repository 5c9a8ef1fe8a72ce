import type { AssetId } from '@lockstep/contract';
/** What the rules of the member center know about an active asset of the enterprise. */
export interface AssetFacts {
  id: AssetId;
  assetNum: string;
  isBorrowedLock: boolean;
  /** Neither locked nor frozen. */
  isUsable: boolean;
}

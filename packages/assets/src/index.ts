import type {} from './tables.ts';

export { advance } from './advance.ts';
export type { Contents } from './contents.ts';
export type { PlannedAsset } from './contents-plan.ts';
export { type ContentsCall, ContentsReader } from './contents-reader.ts';
export { createGrant, fateOf, type Grant, heldBy, type Numbers, numbersOf, revokerOf } from './grants.ts';
export { readAssetHistory } from './history.ts';
export {
  type Asset,
  type AssetTerms,
  type Effects,
  emptyChanges,
  type Instance,
  type Ledger,
  type LedgerChanges,
  listNewCodes,
  type MerchandiseInstance,
  type ProductInstance,
  type Transfer,
} from './ledger.ts';
export { LedgerIds } from './ledger-ids.ts';
export {
  type ContentsNeeds,
  dropLoaded,
  loadContents,
  type ProductLookUp,
  readOldestProducts,
} from './load-contents.ts';
export { type LedgerNeeds, loadLedger, readLedger } from './load-ledger.ts';
export { setLocked } from './locks.ts';
export { type Region, takeAssetNumbers } from './numbers.ts';
export { ABOVE_ALL, licenseOrderIdOf, ORDERS_PER_BATCH, splitOrderId } from './order-ids.ts';
export { ordersOfNumber } from './orders-of-number.ts';
export { type EndedProduct, readEndedProducts } from './read-ended.ts';
export { showAsset } from './show-asset.ts';
export { doAtOnce, Pace, type Steps } from './steps.ts';
export { findNumbersOfOtherChannels, selectAssets } from './tenant.ts';
export { NOW, releaseAssets } from './update-ledger.ts';
export { VirtualAssetReader } from './virtual-assets.ts';
export { writeLedger } from './write-ledger.ts';

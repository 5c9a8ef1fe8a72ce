import type {} from './tables.ts';

export { type NamedAsset, readContents } from './contents/contents.ts';
export { listAssets } from './contents/list-assets.ts';
export { showAsset, showFacts } from './contents/show-assets.ts';
export { NOW_MS, PERIOD, verdictFacts } from './contents/verdict-facts.ts';
export { listVirtualAssets } from './contents/virtual-assets.ts';
export { showEntry } from './history/entries.ts';
export { readAssetHistory } from './history/history.ts';
export { ordersOfNumber } from './history/steps.ts';
export { ABOVE_ALL, LedgerIds, licenseOrderIdOf, ORDERS_PER_BATCH, splitOrderId } from './ids.ts';
export { advance } from './ledger/advance.ts';
export { createGrant, type Grant, heldBy, numbersOf, revokerOf } from './ledger/grants.ts';
export {
  type Asset,
  type AssetTerms,
  type Effects,
  emptyChanges,
  type Ledger,
  listNewCodes,
  type MerchandiseInstance,
  type ProductInstance,
  type Transfer,
} from './ledger/ledger.ts';
export type { VerdictFacts } from './ledger/verdict.ts';
export { changeLocks } from './locks.ts';
export { takeAssetNumbers } from './numbers.ts';
export { listOldestFirst } from './oldest-first.ts';
export { buildPage, countRowsBefore } from './page.ts';
export { type EndedProduct, readEndedProducts } from './storing/loading/ended.ts';
export * from './storing/loading/load.ts';
export { readOldestProducts } from './storing/loading/products.ts';
export { NOW, releaseAssets, writeLedger } from './storing/writing/write.ts';
export { assetsOf, findNumbersOfOtherChannels, selectAssets } from './tenant.ts';
export { ofTerms } from './terms.ts';

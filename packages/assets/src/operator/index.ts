import type {} from '../tables.ts';

/** What operators see of assets: those of all channels, whoever sent their orders. Only the console imports it. */
export { findAssetOfNumber } from './asset.ts';
export { type AssetPlace, listAssetsOfAll } from './asset-list.ts';
export { type ContentsPlace, listContents } from './contents.ts';
export { readOrderEffects } from './effects.ts';
export { readHistoryOfAll } from './history.ts';

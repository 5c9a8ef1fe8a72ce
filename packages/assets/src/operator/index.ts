import type {} from '../tables.ts';

/** Assets of all channels, for the console only. */
export { findAssetOfNumber } from './asset.ts';
export { type AssetPlace, listAssetsOfAll } from './asset-list.ts';
export { type ContentsPlace, listContents } from './contents.ts';
export { readOrderEffects } from './effects.ts';
export { readHistoryOfAll } from './history.ts';

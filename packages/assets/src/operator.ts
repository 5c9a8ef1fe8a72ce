import type {} from './tables.ts';

/** What operators see of assets: those of all channels, whoever sent their orders. Only the console imports it. */
export { findAssetOfNumber } from './operator-asset.ts';
export { type AssetPlace, listAssetsOfAll } from './operator-asset-list.ts';
export { type ContentsPlace, listContents } from './operator-contents.ts';
export { type EffectsQuery, readOrderEffects } from './operator-effects.ts';
export { readHistoryOfAll } from './operator-history.ts';

import type {} from './tables.ts';

/** What operators see of assets: those of all channels, whoever sent their orders. Only the console imports it. */
export { type FoundAsset, findAssetOfNumber } from './operator-asset.ts';
export { type AssetPlace, type ListedAsset, listAssetsOfAll } from './operator-asset-list.ts';
export { type ContentsPlace, listContents } from './operator-contents.ts';
export { type EffectsQuery, readOrderEffects } from './operator-effects.ts';
export { readHistoryOfAll, type ToldStep } from './operator-history.ts';

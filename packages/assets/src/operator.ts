// What operators read across applications. Only the console and packages/operators may import it.

import type {} from './tables.ts';

export { readOrderEffects } from './contents/effects.ts';
export { countExpiring } from './contents/list-assets.ts';
export { listContents } from './contents/list-contents.ts';
export { findAssetOfNumber } from './contents/show-assets.ts';
export { showToldEntry } from './history/entries.ts';

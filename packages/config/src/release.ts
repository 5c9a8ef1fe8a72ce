/** The directory of this release's migrations, which identifies its schema. */
export const RELEASE = new URL('../../../migrations/', import.meta.url);

/** What each cause of the contract's tables means, in Chinese. */
export const causesInChinese: Readonly<Record<string, string>> = {};

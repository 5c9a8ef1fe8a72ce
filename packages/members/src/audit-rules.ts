import type { AuditEntry } from '@lockstep/contract';

/** What an entry says was there before and after, as far as it speaks of assets: their numbers, and what was lent. */
export type AuditDetail = AuditEntry['detail'];

/** The asset numbers that an entry names. */
export function numbersIn({ before, after }: AuditDetail): string[] {
  return [before, after].flatMap((side) => {
    const { assetNums = [], lent = [] } = side ?? {};
    return [...assetNums, ...lent.flatMap(({ assetNum, borrowedUsbKey }) => [assetNum, borrowedUsbKey])];
  });
}

/** The entry without some asset numbers, and without lendings of and into them. */
export function without(others: ReadonlySet<string>, { before, after }: AuditDetail): AuditDetail {
  const isSeen = (assetNum: string) => !others.has(assetNum);
  const seenOf = (side: AuditDetail['before']): AuditDetail['before'] => {
    if (side === null) return null;
    const { assetNums, lent } = side;
    return {
      ...side,
      ...(assetNums && { assetNums: assetNums.filter(isSeen) }),
      ...(lent && { lent: lent.filter((each) => isSeen(each.assetNum) && isSeen(each.borrowedUsbKey)) }),
    };
  };
  return { before: seenOf(before), after: seenOf(after) };
}

import type { AuditEntry } from '@lockstep/contract';

/** The values before and after a change. */
export type AuditDetail = AuditEntry['detail'];

/** Returns the asset numbers in an entry. */
export function findNumbers({ before, after }: AuditDetail): string[] {
  return [before, after].flatMap((side) => {
    const { assetNums = [], lent = [] } = side ?? {};
    return [...assetNums, ...lent.flatMap(({ assetNum, borrowedUsbKey }) => [assetNum, borrowedUsbKey])];
  });
}

/** Returns an entry without the hidden asset numbers, and without loans of or into those assets (rules 2). */
export function hideNumbers(hidden: ReadonlySet<string>, { before, after }: AuditDetail): AuditDetail {
  const isSeen = (assetNum: string) => !hidden.has(assetNum);
  const hideIn = (side: AuditDetail['before']): AuditDetail['before'] => {
    if (side === null) return null;
    const { assetNums, lent } = side;
    return {
      ...side,
      ...(assetNums && { assetNums: assetNums.filter(isSeen) }),
      ...(lent && { lent: lent.filter((each) => isSeen(each.assetNum) && isSeen(each.borrowedUsbKey)) }),
    };
  };
  return { before: hideIn(before), after: hideIn(after) };
}

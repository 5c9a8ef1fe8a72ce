import type { LicenseOrderId, MemberId, Validity, Verdict, VerdictReason } from '@lockstep/contract';

/** The dates of a license, in milliseconds; null for no start or no end. */
export interface Period {
  start: number | null;
  end: number | null;
}

/** Returns whether a license is in force at a time: from its start through its end, both included (rules 6.7). */
export function validityOf({ start, end }: Period, now: number): Validity {
  if (end !== null && end < now) return 'expired';
  return start !== null && start > now ? 'future' : 'active';
}

/** Returns a product's dates within those of the asset that it was bought for: the later start, the earlier end. */
export function withinAsset(product: Period, asset: Period): Period {
  return {
    start: product.start === null ? asset.start : Math.max(product.start, asset.start ?? product.start),
    end: product.end === null ? asset.end : Math.min(product.end, asset.end ?? product.end),
  };
}

/** What a verdict depends on, as `verdictFacts` reads it. Times are milliseconds. */
export interface VerdictFacts {
  /** The time of reading, by the database's clock. */
  now: number;
  period: Period;
  isBorrowedLock: boolean;
  revoked: (Pick<VerdictReason, 'since'> & { licenseOrderId: LicenseOrderId }) | null;
  locked: boolean;
  freezing: boolean;
  /** The last change of `locked` or `freezing`; null if there is none, or if neither is true. */
  stopped: Pick<VerdictReason, 'since' | 'operatorIdentity'> | null;
  lent: Pick<VerdictReason, 'since' | 'lockAssetNum'> | null;
  /** The employee to whom it is assigned. */
  holderId: MemberId | null;
  unassignedSince: number;
  /** The active products on it or lent into it, null if there are none. `lastEnd`, `nextStart`: if none is in force. */
  products: { areInForce: true } | { areInForce: false; lastEnd: number | null; nextStart: number | null } | null;
}

/** Returns whether an asset can be used, and if not, all reasons, most important first (rules 6.7 Verdict). */
export function verdictOf(facts: VerdictFacts): Verdict {
  const reasons = facts.revoked === null ? reasonsOfActive(facts) : [because('revoked', facts.revoked)];
  return { usable: reasons.length === 0, reasons };
}

function reasonsOfActive({ stopped, lent, holderId, ...facts }: VerdictFacts): VerdictReason[] {
  const reasons: VerdictReason[] = [];
  if (facts.locked) reasons.push(because('locked', stopped ?? {}));
  if (facts.freezing) reasons.push(because('frozen', stopped ?? {}));
  reasons.push(...outOfForce(facts));
  if (lent !== null) reasons.push(because('lent', { ...lent, memberGlobalId: holderId }));
  if (holderId === null && !facts.isBorrowedLock) reasons.push(because('unassigned', { since: facts.unassignedSince }));
  if (facts.products === null) reasons.push(because('empty'));
  return reasons;
}

/** Returns not_yet or expired, from the dates of the asset or else from those of its products. */
function outOfForce({ now, period, products }: Pick<VerdictFacts, 'now' | 'period' | 'products'>): VerdictReason[] {
  const validity = validityOf(period, now);
  if (validity === 'expired') return [because('expired', { since: period.end })];
  if (validity === 'future') return [because('not_yet', { until: period.start })];
  if (products === null || products.areInForce) return [];
  const { lastEnd, nextStart } = products;
  return [nextStart === null ? because('expired', { since: lastEnd }) : because('not_yet', { until: nextStart })];
}

const NOTHING = {
  since: null,
  until: null,
  licenseOrderId: null,
  operatorIdentity: null,
  lockAssetNum: null,
  memberGlobalId: null,
};

const because = (reason: VerdictReason['reason'], about: Partial<VerdictReason> = {}): VerdictReason => ({
  ...NOTHING,
  ...about,
  reason,
});

import type { LicenseOrderId, MemberId, VerdictReason } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { type VerdictFacts, validityOf, verdictOf, withinAsset } from './verdict.ts';

/** Whether a license is in force, and why an asset can't be used (rules 6.7). It is 100; no dates are `-`. */

const NOW = 100;
const period = (text: string) => {
  const [start = null, end = null] = text.split(' ').map((each) => (each === '-' ? null : Number(each)));
  return { start, end };
};

it.each([
  ['- -', 'active'],
  ['100 100', 'active'],
  ['- 99', 'expired'],
  ['101 -', 'future'],
  ['101 102', 'future'],
  ['101 99', 'expired'],
] as const)('a license from and to %s is %s', (dates, validity) => {
  expect(validityOf(period(dates), NOW)).toBe(validity);
});

it.each([
  ['- -', '- -', '- -'],
  ['5 50', '- -', '5 50'],
  ['- -', '5 50', '5 50'],
  ['5 50', '10 40', '10 40'],
  ['10 40', '5 50', '10 40'],
])('a product of %s on an asset of %s is bounded by %s', (product, asset, bounded) => {
  expect(withinAsset(period(product), period(asset))).toEqual(period(bounded));
});

describe('a verdict', () => {
  const KIM = '3001' as MemberId;
  const assigned: VerdictFacts = {
    now: NOW,
    period: period('- -'),
    isBorrowedLock: false,
    revoked: null,
    locked: false,
    freezing: false,
    stopped: null,
    lent: null,
    holderId: KIM,
    unassignedSince: 7,
    products: { areInForce: true },
  };
  const outOfForce = (lastEnd: number | null, nextStart: number | null) =>
    ({ products: { areInForce: false, lastEnd, nextStart } }) as const;
  const stopped = { since: 60, operatorIdentity: 'Ann' };
  const everything = { period: period('- 99'), locked: true, freezing: true, stopped, holderId: null, products: null };

  it.each<[string, Partial<VerdictFacts>, Partial<VerdictReason>[]]>([
    ['in use', {}, []],
    ['a borrowed lock', { isBorrowedLock: true, holderId: null }, []],
    [
      'revoked, whatever else',
      { ...everything, revoked: { since: 90, licenseOrderId: '8192' as LicenseOrderId } },
      [{ reason: 'revoked', since: 90, licenseOrderId: '8192' as LicenseOrderId }],
    ],
    ['disabled', { locked: true, stopped }, [{ reason: 'locked', ...stopped }]],
    ['frozen without a record', { freezing: true }, [{ reason: 'frozen' }]],
    ['not in force yet', { period: period('101 -') }, [{ reason: 'not_yet', until: 101 }]],
    [
      'expired, like its products',
      { period: period('- 99'), ...outOfForce(98, null) },
      [{ reason: 'expired', since: 99 }],
    ],
    ['in force, its products expired', outOfForce(98, null), [{ reason: 'expired', since: 98 }]],
    ['in force, a product to come', outOfForce(98, 102), [{ reason: 'not_yet', until: 102 }]],
    [
      'lent',
      { lent: { since: 80, lockAssetNum: '81' } },
      [{ reason: 'lent', since: 80, lockAssetNum: '81', memberGlobalId: KIM }],
    ],
    ['unassigned', { holderId: null }, [{ reason: 'unassigned', since: 7 }]],
    ['empty', { products: null }, [{ reason: 'empty' }]],
    [
      'all at once',
      everything,
      [
        { reason: 'locked', ...stopped },
        { reason: 'frozen', ...stopped },
        { reason: 'expired', since: 99 },
        { reason: 'unassigned', since: 7 },
        { reason: 'empty' },
      ],
    ],
  ])('of an asset that is %s', (_, facts, reasons) => {
    const verdict = verdictOf({ ...assigned, ...facts });
    expect(verdict.usable).toBe(reasons.length === 0);
    expect(verdict.reasons).toEqual(reasons.map((reason) => ({ ...NOTHING, ...reason })));
  });

  const NOTHING = {
    since: null,
    until: null,
    licenseOrderId: null,
    operatorIdentity: null,
    lockAssetNum: null,
    memberGlobalId: null,
  };
});

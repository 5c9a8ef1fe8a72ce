import { z } from 'zod';
import { named, namedEnum } from './containers.ts';
import { LicenseOrderId, MemberId, textOrNull, time } from './scalars.ts';
import { REASONS, VALIDITIES } from './words.ts';

/** Whether a license is in force (rules 6.7 Validity). */
export const Validity = namedEnum(
  'Validity',
  'Whether a license is in force now. future: its start is yet to come. active: in force, from its start through its ' +
    'end. expired: its end has passed. The dates of an asset also bound its products.',
  VALIDITIES,
);
export type Validity = z.infer<typeof Validity>;

export const Reason = namedEnum(
  'UnusableReason',
  'Why an asset cannot be used. revoked: by an order. locked: disabled (O6). frozen: suspended. not_yet: it, or all ' +
    'that is left on it, starts later. expired: it, or everything on it, has ended. lent: into a borrowed lock. ' +
    'unassigned: to no employee. empty: it has no active product, and none is lent into it.',
  REASONS,
);

export const VerdictReason = named('VerdictReason', 'A reason why an asset cannot be used now.', {
  reason: Reason.describe('The reason.'),
  since: time('Since when it applies; null for not_yet and empty, or if unknown').nullable(),
  until: time('For not_yet: when it, or the first product on it, starts; otherwise null').nullable(),
  licenseOrderId: LicenseOrderId.nullable().describe('For revoked: the order that revoked it; otherwise null.'),
  operatorIdentity: textOrNull(
    'For locked and frozen: who requested it. Null otherwise, if another application did, and in the member center.',
  ),
  lockAssetNum: textOrNull(
    'For lent: number of the borrowed lock. Null otherwise, and if your application is not bound to its channel.',
  ),
  memberGlobalId: MemberId.nullable().describe(
    'For lent: global id of the employee to whom the asset is assigned; otherwise null.',
  ),
});
export type VerdictReason = z.infer<typeof VerdictReason>;

/** Whether an asset can be used, and if not, why (rules 6.7 Verdict). */
export const Verdict = named('Verdict', 'Whether an asset can be used now, and if not, why.', {
  usable: z.boolean().describe('Whether it can be used now: there is no reason against it.'),
  reasons: z.array(VerdictReason).describe('All reasons why it cannot be used, most important first.'),
});
export type Verdict = z.infer<typeof Verdict>;

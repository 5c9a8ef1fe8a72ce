import { z } from 'zod';
import { named, namedEnum } from '../containers.ts';
import { ListPageQuery, NEXT_CURSOR } from '../orders/lists.ts';
import {
  AssetId,
  assetNumber,
  emptyAsAbsent,
  LicenseOrderId,
  MemberId,
  optional,
  optionalId,
  textOrNull,
  time,
} from '../scalars.ts';

/** What ended an assignment or a loan (rules 8). */
export const HoldingEnd = namedEnum(
  'HoldingEnd',
  'What ended an assignment or a loan. withdrawn: an administrator unassigned the asset (M9). employee_deleted: an ' +
    'administrator deleted the employee (M4). order: an order released the asset. lock: an order released the lock only.',
  ['withdrawn', 'employee_deleted', 'order', 'lock'],
);
export type HoldingEnd = z.infer<typeof HoldingEnd>;

/** The query of listHoldings. All filters apply together; another one is refused (rules 8). */
export const ListHoldings = z.strictObject({
  memberGlobalId: optionalId<'MemberId'>().describe('Only assignments and loans of this employee.'),
  assetNum: optional(assetNumber()).describe('Only those of assets with this number, and loans into a lock with it.'),
  state: emptyAsAbsent(
    namedEnum('HoldingState', 'Whether an assignment or loan has ended.', ['current', 'ended']).optional(),
  ).describe('Only current or only ended ones.'),
  ...ListPageQuery.shape,
});
export type ListHoldings = z.infer<typeof ListHoldings>;

export const Holding = named('Holding', 'An assignment or a loan of an asset, current or ended.', {
  holdingId: z.string().describe('Id of the assignment or loan.'),
  kind: namedEnum('HoldingKind', 'What a holding is.', ['assignment', 'loan']).describe('What it is.'),
  assetId: AssetId.describe('Id of the asset.'),
  assetNum: z.string().describe('Number of the asset.'),
  memberGlobalId: MemberId.describe('Global id of the employee.'),
  memberAccount: z.string().describe('Account of the employee, with the enterprise code.'),
  memberName: z.string().describe('Name of the employee.'),
  lockAssetNum: textOrNull(
    'Number of the borrowed lock; null for an assignment, or if the lock is of a channel of others.',
  ),
  beganTime: time('When it began'),
  beganBy: MemberId.describe('Global id of the administrator who began it; 0 for an operator.'),
  endedTime: time('When it ended; null if it is current').nullable(),
  endedByGlobalId: MemberId.nullable().describe(
    'Global id of the administrator who ended it; 0 for an operator, null if it is current or an order ended it.',
  ),
  licenseOrderId: LicenseOrderId.nullable().describe('The order that ended it; null if none did.'),
  endCause: HoldingEnd.nullable().describe('What ended it; null if it is current.'),
});
export type Holding = z.infer<typeof Holding>;

export const HoldingPage = named('HoldingPage', 'A page of assignments and loans.', {
  holdings: z.array(Holding).describe('The assignments and loans, newest first.'),
  nextCursor: NEXT_CURSOR,
});
export type HoldingPage = z.infer<typeof HoldingPage>;

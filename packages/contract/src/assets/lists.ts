import { z } from 'zod';
import { named, namedEnum } from '../containers.ts';
import { LicenseType } from '../orders/enums.ts';
import { checkPeriod, ListPageQuery, NEXT_CURSOR } from '../orders/lists.ts';
import {
  AssetId,
  assetNumber,
  CustomerId,
  EnterpriseId,
  emptyAsAbsent,
  integer,
  LicenseOrderId,
  MemberId,
  optional,
  optionalId,
  optionalText,
  queryTime,
  time,
} from '../scalars.ts';
import { fault } from '../templates.ts';
import { Reason, Validity, Verdict } from '../verdict.ts';
import { ASSET_STATES } from '../words.ts';

/** true or false in a query, published as a boolean. */
const queryFlag = () =>
  emptyAsAbsent(
    z.enum(['true', 'false'], fault('true_or_false')).meta({ type: 'boolean', enum: undefined }).optional(),
  );

/** The query of a list of assets. All filters apply together; another one is refused (rules 6.7). */
export const AssetListQuery = z
  .strictObject({
    assetNum: optional(assetNumber()).describe('Only assets whose number begins with this.'),
    channelCode: optionalText().describe('Only assets of customers in this channel.'),
    customerId: optionalId<'CustomerId'>().describe('Only assets of this customer.'),
    enterpriseGlobalId: optionalId<'EnterpriseId'>().describe('Only assets of customers of this enterprise.'),
    licenseType: emptyAsAbsent(LicenseType.optional()).describe('Only assets of this license type.'),
    productUri: optionalText().describe('Only assets with an active product of this productUri.'),
    validity: emptyAsAbsent(Validity.optional()).describe('Only assets whose own dates are so now.'),
    reason: emptyAsAbsent(Reason.optional()).describe(
      'Only assets that cannot be used now for this reason; revoked ones only with `state=revoked` or `all`.',
    ),
    expiresFrom: emptyAsAbsent(queryTime().optional()).describe(
      'Only if the asset or an active product on it ends at this time or later; with `productUri`, that product.',
    ),
    expiresTo: emptyAsAbsent(queryTime().optional()).describe('Only if it ends at this time or earlier.'),
    updatedFrom: emptyAsAbsent(queryTime().optional()).describe(
      'Only if an order, or disabling or freezing, last changed it or what is on it at this time or later.',
    ),
    assigned: queryFlag().describe('true: only assets assigned to an employee. false: only others.'),
    locked: queryFlag().describe('true: only disabled locks (O6). false: only others.'),
    state: emptyAsAbsent(namedEnum('AssetState', 'Which assets a list has.', ASSET_STATES).default('active')).describe(
      'Active, revoked or all assets; all with the oldest change first.',
    ),
    include: emptyAsAbsent(
      namedEnum('AssetParts', 'What else to show of an asset.', ['counts', 'products']).optional(),
    ).describe('counts: how many products and merchandise are on each asset. products: also the products.'),
    ...ListPageQuery.shape,
  })
  .superRefine(({ expiresFrom, expiresTo }, context) => checkPeriod(context, { expiresFrom, expiresTo }));
export type AssetListQuery = z.infer<typeof AssetListQuery>;

const ListedProduct = named('ListedProduct', 'An active product on a listed asset.', {
  id: z.string().describe('Id of the product.'),
  productUri: z.string().describe('Globally unique product id.'),
  productName: z.string().describe('Name of the product.'),
  licenseOrderId: LicenseOrderId.describe('The order that a revocation can name as its source.'),
  limitConcurrent: integer().describe('Concurrent nodes.'),
  limitStartDate: time('Start; null if it has none').nullable(),
  limitEndDate: time('End; null if it never ends').nullable(),
  validity: Validity.describe('Whether it is in force, within the dates of its asset.'),
});

export const ListedAsset = named('ListedAsset', 'An asset in a list.', {
  assetId: AssetId.describe('Id of the asset.'),
  assetNum: z.string().describe('Asset number.'),
  licenseType: LicenseType.describe('License type of the asset.'),
  customerId: CustomerId.describe('Customer who owns it, or owned it last.'),
  customerName: z.string().describe('Name of the customer.'),
  channelCode: z.string().describe('Channel of the customer.'),
  channelCustomerId: z.string().describe('Id of the customer in the channel.'),
  enterpriseGlobalId: EnterpriseId.describe('Global id of the enterprise of the customer.'),
  enterpriseName: z.string().describe('Name of the enterprise.'),
  limitStartDate: time('Start; null if it has none').nullable(),
  limitEndDate: time('End; null if it never ends').nullable(),
  nextEndDate: time('The next end of the asset or of a product on it; null if none is to come').nullable(),
  validity: Validity.describe('Whether its own dates are in force.'),
  verdict: Verdict.describe('Whether it can be used now, and if not, why.'),
  locked: z.boolean().describe('Whether it is disabled (O6).'),
  freezing: z.boolean().describe('Whether it is frozen.'),
  borrowedUsbKey: z.boolean().describe('Whether it is a borrowed lock.'),
  memberGlobalId: MemberId.nullable().describe('Global id of the employee to whom it is assigned; null if unassigned.'),
  lent: z.boolean().describe('Whether it is lent into a borrowed lock.'),
  createdTime: time('When it was bought'),
  updatedTime: time('When it, or what is on it, was last changed'),
  revokedTime: time('When it was revoked; null if active').nullable(),
  revokedByOrderId: LicenseOrderId.nullable().describe('The order that revoked it; null if active.'),
  productCount: integer().optional().describe('Active products on it, inside merchandise too. Only with `include`.'),
  merchandiseCount: integer().optional().describe('Active merchandise on it. Only with `include`.'),
  products: z.array(ListedProduct).optional().describe('Active products on it. Only with `include=products`.'),
});
export type ListedAsset = z.infer<typeof ListedAsset>;

export const AssetPage = named('AssetPage', 'A page of assets.', {
  assets: z.array(ListedAsset).describe('The assets.'),
  nextCursor: NEXT_CURSOR,
});
export type AssetPage = z.infer<typeof AssetPage>;

import { z } from 'zod';
import { id, integer, lines, MAX_ADDRESS_CHARACTERS, optionalId, text } from '../scalars.ts';
import { LicenseType } from './enums.ts';
import { AssetToBuy, AssetToRevoke, AssetToRevokeProductsOf, atLeastOne } from './items.ts';

/**
 * The description of a field of which only the shape is checked. It also goes into the digest that identifies repeats.
 */
const checked = (meaning: string) => `${meaning} Checked for its shape only.`;

const orderHeader = {
  sequence: integer().describe('Number of the order, unique in the batch: the order in which they take effect.'),
  customerId: id<'CustomerId'>().describe('The customer who buys, or whose asset it must be.'),
  crmCustomerId: text().describe(checked('CRM customer number.')),
  customerName: text().describe(checked('Name of the customer in the channel.')),
  channelCustomerId: text().describe(checked('Number of the customer in the channel.')),
  adminName: text().describe(checked('Name of the administrator.')),
  adminAccount: text().describe(checked('Account of the administrator.')),
  adminEmail: text().describe(checked('E-mail of the administrator.')),
  adminCellNumber: text().describe(checked('Mobile number of the administrator.')),
  passwordMobile: text().describe(checked('Mobile number of the purchaser.')),
  address: lines(MAX_ADDRESS_CHARACTERS).describe(checked('Address of the customer; it may hold line breaks.')),
  customerType: z
    .enum(['personal', 'company'], 'must be personal or company')
    .meta({ id: 'CustomerType', description: 'What a customer is.' })
    .describe(checked('What the customer is.')),
  branchCode: text().describe(checked('Code of the branch.')),
  branchName: text().describe(checked('Name of the branch.')),
  enterpriseGlobalId: id<'EnterpriseId'>().describe('Global id of the enterprise that the customer belongs to.'),
  srcLicenseOrderId: optionalId<'LicenseOrderId'>().describe(
    'In a purchase where it came from, a succeeded new_buy of any customer; M7 shows it with what was bought. In a ' +
      'revocation a succeeded new_buy of the customer: only what that order granted is revoked. Required to revoke a cloud ' +
      'license.',
  ),
  licenseType: LicenseType.describe('License type of a new asset; it must be that of an asset that is there.'),
};

export const NewBuyOrder = z
  .object({
    ...orderHeader,
    orderType: z.literal('new_buy').describe('A purchase.'),
    assets: atLeastOne(AssetToBuy).describe('What to buy.'),
  })
  .meta({ id: 'NewBuyOrder', description: 'An order that buys.' });
export const DeleteAssetOrder = z
  .object({
    ...orderHeader,
    orderType: z.literal('delete_asset').describe('A revocation of assets.'),
    assets: atLeastOne(AssetToRevoke).describe('What to revoke.'),
  })
  .meta({ id: 'DeleteAssetOrder', description: 'An order that revokes assets.' });
export const DeleteProductOrder = z
  .object({
    ...orderHeader,
    orderType: z.literal('delete_product').describe('A revocation of products.'),
    assets: atLeastOne(AssetToRevokeProductsOf).describe('What to revoke.'),
  })
  .meta({ id: 'DeleteProductOrder', description: 'An order that revokes products.' });

/** An order as it was sent; its shape depends on its orderType (interface O5). */
export const Order = z
  .discriminatedUnion('orderType', [NewBuyOrder, DeleteAssetOrder, DeleteProductOrder], {
    error: 'must be new_buy, delete_asset or delete_product',
  })
  .meta({ id: 'Order', description: 'An order, in the shape that its orderType needs.' });
export type Order = z.infer<typeof Order>;
export type NewBuyOrder = z.infer<typeof NewBuyOrder>;
export type DeleteAssetOrder = z.infer<typeof DeleteAssetOrder>;
export type DeleteProductOrder = z.infer<typeof DeleteProductOrder>;

import type { z } from 'zod';
import { namedEnum } from '../containers.ts';
import { ORDER_STATES, ORDER_TYPES } from '../words.ts';

/** The license types (interface O5). */
const LICENSE_TYPES = [
  'normal_unrecover_usbkey',
  'normal_recover_usbkey',
  'normal_unrecover_lan_usbkey',
  'normal_recover_lan_usbkey',
  'identity_usbkey',
  'identity_lan_usbkey',
  'softkey',
  'lan_softkey',
  'product_entity',
  'cloud_account',
  'cloud_customer',
  'cloud_personal',
  'lk_product_usbkey',
  'lk_auth_usbkey',
] as const;

export const LicenseType = namedEnum(
  'LicenseType',
  'What holds a license. Locks: normal_… (refillable with _recover_, for a network with _lan_), identity_usbkey and ' +
    'identity_lan_usbkey (identity locks), lk_product_usbkey (product lock), lk_auth_usbkey (login lock). Soft keys: ' +
    'softkey, and lan_softkey for a network. Cloud licenses: cloud_account, cloud_customer (of an enterprise), ' +
    'cloud_personal. product_entity: a physical product.',
  LICENSE_TYPES,
);
export type LicenseType = z.infer<typeof LicenseType>;

export const CLOUD_LICENSE_TYPES: readonly LicenseType[] = ['cloud_account', 'cloud_customer', 'cloud_personal'];

export const OrderType = namedEnum(
  'OrderType',
  'What an order does: buy, revoke assets, or revoke products.',
  ORDER_TYPES,
);
export type OrderType = z.infer<typeof OrderType>;

export const OrderState = namedEnum('OrderState', 'State of an order: pending, or its outcome.', ORDER_STATES);

export const SyncMode = namedEnum(
  'SyncMode',
  'async: store the batch and apply its orders later, each on its own. sync: apply all orders before answering, or none.',
  ['sync', 'async'],
);
export type SyncMode = z.infer<typeof SyncMode>;

import { ORDER_ROOT } from '@lockstep/contract';
import { newBuy } from '../orders/orders.ts';

const { LOCKSTEP_BASE_URL = '', LOCKSTEP_APP_KEY = '', LOCKSTEP_APP_SECRET = '' } = process.env;
export const TOKENS = `${LOCKSTEP_BASE_URL}/oauth2/token`;
export const ROOT = `${LOCKSTEP_BASE_URL}${ORDER_ROOT}`;
export const APP_KEY = LOCKSTEP_APP_KEY;
/** The body of a call for a token. */
export const CREDENTIALS = new URLSearchParams({
  grant_type: 'client_credentials',
  client_id: LOCKSTEP_APP_KEY,
  client_secret: LOCKSTEP_APP_SECRET,
});

/** A customer of the demo. */
const CUSTOMER = { customerId: '2001', channelCustomerId: 'DEMO-HQ', enterpriseGlobalId: '1001' };

/** Returns a batch that buys an asset of this number for a customer of the demo. */
export function buildBatch(channelOrderId: string, syncMode: string, assetNum: string) {
  return { channelCode: 'demo', channelOrderId, syncMode, orderList: [newBuy(CUSTOMER, [assetNum], { sequence: 1 })] };
}

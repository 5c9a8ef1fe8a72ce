import type { Customer } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { newAssetNum, newBuy, productToBuy, type Sent } from './orders.ts';

/** The contents of purchases that the database refuses from `refuseStrict` to `allowStrict`. */
export const STRICT = { products: [productToBuy({ crmProductId: 'Strict' })] };

/** Returns a purchase of such contents. */
export const buyStrict = (customer: Customer, assetNum = newAssetNum()): Sent =>
  newBuy(customer, [assetNum], {}, STRICT);

export const refuseStrict = (db: Database) =>
  sql`alter table product_instance add constraint stricter check (crm_product_id <> 'Strict')`.execute(db);

export const allowStrict = (db: Database) => sql`alter table product_instance drop constraint stricter`.execute(db);

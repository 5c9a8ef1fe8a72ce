import type { Channels } from '@lockstep/contract';
import { customersOf } from '@lockstep/customers';
import type { Database, Trx } from '@lockstep/platform';

/**
 * What a call looks for among assets it finds through this file, where the channels that the caller is bound to are a
 * part of every query: assets of customers of other channels do not exist for it (decisions 2). A lint rule
 * (packages/customers/scope.grit) keeps other files from selecting them by themselves. What orders do to assets is the
 * planner's, and looks at the channels there.
 */

/** The active assets that a caller sees. */
export function assetsOf(db: Database | Trx, channels: Channels) {
  return db
    .selectFrom('asset')
    .where('asset.revoked_time', 'is', null)
    .$if(channels !== null, (all) =>
      all.where('asset.customer_id', 'in', customersOf(db, channels).select('customer.id')),
    );
}

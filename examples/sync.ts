// Applies a whole batch or nothing, at once: npx node examples/sync.ts examples/first-batch.json
import { readFileSync } from 'node:fs';
import { LockstepError } from '@lockstep/client';
import { lockstep } from './client.ts';

const batch = { ...JSON.parse(readFileSync(process.argv[2] ?? 'examples/first-batch.json', 'utf8')), syncMode: 'sync' };

try {
  // After `outcome_unknown`, or without an answer, the batch may have taken effect. The client resubmits it: with the
  // same channelOrderId it takes effect only once.
  const orders = await lockstep.orders.submit(batch);
  for (const { sequence, licenseOrderId } of orders) console.log(`order ${sequence} took effect as ${licenseOrderId}`);
} catch (error) {
  if (!(error instanceof LockstepError) || error.isRetryable) throw error;
  // No order took effect. Correct the orders that the message names, and resubmit with the same channelOrderId.
  console.log(error.message);
  process.exitCode = 1;
}

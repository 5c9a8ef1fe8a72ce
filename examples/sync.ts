// Applies a whole batch or nothing, at once: npx node examples/sync.ts examples/first-batch.json
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { call, Refusal } from './client.ts';

/** After these causes, or without an answer, resubmit the same batch. */
const RETRYABLE = ['outcome_unknown', 'overloaded', 'service_unavailable'];
const MAX_ATTEMPTS = 5;

const batch = { ...JSON.parse(readFileSync(process.argv[2]!, 'utf8')), syncMode: 'sync' };

for (let attempt = 1; ; attempt++) {
  try {
    const orders = await call<{ sequence: number; licenseOrderId: string }[]>('/licenseOrder/batchOrder', {}, batch);
    for (const { sequence, licenseOrderId } of orders)
      console.log(`order ${sequence} took effect as ${licenseOrderId}`);
    break;
  } catch (error) {
    if (error instanceof Refusal && !RETRYABLE.includes(error.cause)) {
      // No order took effect. Correct the orders that the message names, and resubmit with the same channelOrderId.
      console.log(error.message);
      process.exitCode = 1;
      break;
    }
    // The batch may have taken effect. With the same channelOrderId it takes effect only once.
    if (attempt === MAX_ATTEMPTS) throw error;
    await wait(1_000 * attempt);
  }
}

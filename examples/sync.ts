// Applies a batch at once, all of it or nothing: npx node examples/sync.ts examples/first-batch.json
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { call, Refusal } from './client.ts';

/** After these, as after no answer, send the same batch again. */
const TRY_AGAIN = ['outcome_unknown', 'overloaded', 'service_unavailable'];
const MOST_TRIES = 5;

const batch = { ...JSON.parse(readFileSync(process.argv[2]!, 'utf8')), syncMode: 'sync' };

for (let tries = 1; ; tries++) {
  try {
    const orders = await call<{ sequence: number; licenseOrderId: string }[]>('/licenseOrder/batchOrder', {}, batch);
    for (const { sequence, licenseOrderId } of orders)
      console.log(`order ${sequence} took effect as ${licenseOrderId}`);
    break;
  } catch (error) {
    if (error instanceof Refusal && !TRY_AGAIN.includes(error.cause)) {
      // Nothing took effect. The message names the orders that failed: correct them, and use the same number again.
      console.log(error.message);
      process.exitCode = 1;
      break;
    }
    // The batch may have taken effect. Sent again under its channelOrderId, it does so once.
    if (tries === MOST_TRIES) throw error;
    await wait(1_000 * tries);
  }
}

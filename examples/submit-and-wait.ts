// Submits an async batch and waits for its outcome: npx node examples/submit-and-wait.ts examples/first-batch.json
import { readFileSync } from 'node:fs';
import { lockstep } from './client.ts';

const batch = JSON.parse(readFileSync(process.argv[2] ?? 'examples/first-batch.json', 'utf8'));

// Without an answer, the client resubmits the batch: it takes effect once.
const { channelOrderId, succeeded, failed, orders } = await lockstep.orders.submitAndWait(batch);
console.log(`${channelOrderId}: ${succeeded} succeeded, ${failed} failed`);

// Each order succeeds or fails alone. A failed order has changed nothing.
for (const { sequence, state, cause, message } of orders) {
  if (state === 'failed') console.log(`order ${sequence}: ${cause}: ${message}`);
}

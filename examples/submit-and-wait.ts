// Submits an async batch and waits for its outcome: npx node examples/submit-and-wait.ts examples/first-batch.json
import { readFileSync } from 'node:fs';
import { call } from './client.ts';

interface Result {
  state: 'accepted' | 'processing' | 'completed';
  succeeded: number;
  failed: number;
  orders: { sequence: number; cause: string; message: string }[];
  nextCursor: string | null;
}

const batch = JSON.parse(readFileSync(process.argv[2] ?? 'examples/first-batch.json', 'utf8'));
const { channelCode, channelOrderId } = batch;

// Once this is answered, the batch is stored durably. Without an answer, `call` resubmits: it takes effect once.
await call('/licenseOrder/batchOrder', {}, batch);

// Each call answers as soon as the batch is completed, or after 30 seconds.
const query = { channelCode, channelOrderId, state: 'failed', waitSeconds: '30' };
let result: Result;
do result = await call<Result>('/licenseOrder/batchOrder', query);
while (result.state !== 'completed');
console.log(`${channelOrderId}: ${result.succeeded} succeeded, ${result.failed} failed`);

// Each order succeeds or fails alone. A failed order has changed nothing.
while (true) {
  for (const { sequence, cause, message } of result.orders) console.log(`order ${sequence}: ${cause}: ${message}`);
  if (result.nextCursor === null) break;
  result = await call<Result>('/licenseOrder/batchOrder', { ...query, cursor: result.nextCursor });
}

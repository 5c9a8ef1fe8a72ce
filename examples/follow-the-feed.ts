// Follows the event feed from where it last stopped: npx node examples/follow-the-feed.ts last-id.txt
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { lockstep } from './client.ts';

const file = process.argv[2]!;
const after = existsSync(file) ? readFileSync(file, 'utf8') : undefined;

// Waits for events, also while the service is away. It skips no event.
for await (const { id, type, data } of lockstep.events({ after })) {
  // Ignore unknown types, which later releases may add.
  if (type === 'batch.completed' || type === 'batch.retried') {
    console.log(`${id} ${type} ${data.channelOrderId}: ${data.succeeded} succeeded, ${data.failed} failed`);
  }
  // With a database, store it in the transaction that handles the event. Then each event counts once.
  writeFileSync(file, id);
}

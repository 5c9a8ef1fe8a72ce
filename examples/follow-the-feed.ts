// Follows the event feed from where it last stopped: npx node examples/follow-the-feed.ts last-id.txt
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { call } from './client.ts';

interface Feed {
  events: { id: string; type: string; data: { channelOrderId: string; succeeded: number; failed: number } }[];
  lastId: string | null;
}

const file = process.argv[2]!;
let after = existsSync(file) ? readFileSync(file, 'utf8') : '';

while (true) {
  try {
    // Answers as soon as there is an event after `after`, or after 30 seconds. It skips no event.
    const { events, lastId } = await call<Feed>('/events', { after, waitSeconds: '30' });
    for (const { id, type, data } of events) {
      // Ignore unknown types, which later releases may add.
      if (type !== 'batch.completed' && type !== 'batch.retried') continue;
      console.log(`${id} ${type} ${data.channelOrderId}: ${data.succeeded} succeeded, ${data.failed} failed`);
    }
    // With a database, store it in the transaction that handles the events. Then each event counts once.
    after = lastId ?? '';
    writeFileSync(file, after);
  } catch (error) {
    console.error((error as Error).message);
    await wait(1_000);
  }
}

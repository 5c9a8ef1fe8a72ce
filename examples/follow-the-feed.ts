// Follows the feed of events from where it stopped the last time: npx node examples/follow-the-feed.ts last-id.txt
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
    // Answered as soon as there is an event behind `after`, or after 30 seconds. No event is missed.
    const { events, lastId } = await call<Feed>('/events', { after, waitSeconds: '30' });
    for (const { id, type, data } of events) {
      // Pass over types that you do not know: they come from a later release.
      if (type !== 'batch.completed' && type !== 'batch.retried') continue;
      console.log(`${id} ${type} ${data.channelOrderId}: ${data.succeeded} succeeded, ${data.failed} failed`);
    }
    // With a database: in the transaction that does what the events ask for. Then each counts once.
    after = lastId ?? '';
    writeFileSync(file, after);
  } catch (error) {
    console.error((error as Error).message);
    await wait(1_000);
  }
}

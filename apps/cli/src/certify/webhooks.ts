import { setTimeout as sleep } from 'node:timers/promises';
import { type ApplicationId, TEST_TYPE, type WebhookId } from '@lockstep/contract';
import type { Closable, Database } from '@lockstep/platform';
import { resendDelivery, Sender } from '@lockstep/webhooks';
import { buildMessage, newSecret } from '@lockstep/webhooks/messages';
import { sql } from 'kysely';
import type { Probe } from './record.ts';

const LOOK_EVERY_MS = 500;
/** Further off than the five minutes for which a message is valid. */
const OLD_MS = 10 * 60 * 1_000;
/** Above the id of every event, so that no receiver has handled a message of a probe. */
const FIRST_ID = 9_000_000_000_000;

interface Endpoint {
  webhookId: WebhookId;
  applicationId: ApplicationId;
  url: string;
  secret: Buffer;
  deliveryId: string;
}

/**
 * Probes each webhook once, after its first message was delivered: with messages that a receiver must refuse, and by
 * sending that message again. Records the answers to the former in `probes`.
 */
export function probeWebhooks(db: Database, probes: Probe[]): Closable {
  const stop = new AbortController();
  const probed = new Set<WebhookId>();
  const sender = new Sender({ allowPrivate: true });
  const probe = async ({ webhookId, applicationId, url, secret, deliveryId }: Endpoint) => {
    for (const kind of ['forged', 'old'] as const) {
      const [time, id] = [Date.now(), String(FIRST_ID + probes.length)];
      const sentTime = new Date(kind === 'old' ? time - OLD_MS : time);
      const event = { id, type: TEST_TYPE, time, data: {} };
      const message = buildMessage(event, [kind === 'forged' ? newSecret() : secret], sentTime);
      const { status } = await sender.send({ url, ...message }, stop.signal);
      probes.push({ kind, time, message: `webhook ${webhookId}, message ${id}`, status });
    }
    await resendDelivery(db, { applicationId }, webhookId, deliveryId);
  };
  const running = (async () => {
    while (!stop.signal.aborted) {
      const found = await findEndpoints(db).catch(() => []);
      for (const endpoint of found.filter(({ webhookId }) => !probed.has(webhookId))) {
        probed.add(endpoint.webhookId);
        await probe(endpoint).catch(() => {});
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** Finds the active webhooks that have accepted a message of an event. */
async function findEndpoints(db: Database): Promise<Endpoint[]> {
  const { rows } = await sql<Endpoint>`
    select webhook.id as "webhookId", application_id as "applicationId", url, secret, delivered.id as "deliveryId"
    from webhook cross join lateral (
      select id from webhook_delivery
      where webhook_id = webhook.id and state = 'delivered' and position is not null order by id limit 1
    ) as delivered
    where deleted_time is null and disabled_time is null and paused_time is null order by webhook.id`.execute(db);
  return rows;
}

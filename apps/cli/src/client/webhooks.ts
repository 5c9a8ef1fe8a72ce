import { setTimeout as sleep } from 'node:timers/promises';
import type { Webhook, WebhookDelivery, WebhookWithSecret } from '@lockstep/contract';
import type { ListOptions } from '../options.ts';
import { printList } from '../output/lists.ts';
import { type Column, formatFields, formatTable, formatTime } from '../output/table.ts';
import { say, sayAside } from '../output/terminal.ts';
import type { OrderClient } from './client.ts';

interface JsonOption {
  json?: true;
}

/** An attempt times out after 15 seconds, and may start a moment late. */
const TEST_LOOKS = 40;
const TEST_LOOK_MS = 500;

const WEBHOOK_COLUMNS: readonly Column<Webhook>[] = [
  { head: 'webhook', cell: ({ webhookId }) => webhookId, isRight: true },
  { head: 'state', cell: ({ state, disabledCause }) => disabledCause ?? state },
  { head: 'URL', cell: ({ url }) => url, wraps: true },
  { head: 'description', cell: ({ description }) => description, wraps: true },
  { head: 'created', cell: ({ createdTime }) => formatTime(createdTime) },
];
const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { head: 'created', cell: ({ createdTime }) => formatTime(createdTime) },
  { head: 'message', cell: ({ messageId }) => messageId, isRight: true },
  { head: 'type', cell: ({ type }) => type, wraps: true },
  { head: 'state', cell: ({ state }) => state },
  { head: 'attempts', cell: ({ attempts }) => attempts.length, isRight: true },
  { head: 'last attempt', cell: formatLastAttempt, wraps: true },
  { head: 'next attempt', cell: ({ nextAttemptTime }) => formatTime(nextAttemptTime) },
];

export async function create(
  client: OrderClient,
  url: string,
  { json, description }: JsonOption & { description?: string },
): Promise<void> {
  sayWithSecret(await client.call('createWebhook', { body: { url, description } }), json);
}

export async function list(client: OrderClient, { json }: JsonOption): Promise<void> {
  const { webhooks } = await client.call('listWebhooks', {});
  if (json) for (const each of webhooks) say(JSON.stringify(each));
  else if (webhooks.length === 0) sayAside('None found.');
  else say(formatTable(WEBHOOK_COLUMNS, webhooks));
}

export async function show(client: OrderClient, webhookId: string, { json }: JsonOption): Promise<void> {
  sayWebhook(await client.call('getWebhook', { params: { webhookId } }), json);
}

export async function remove(client: OrderClient, webhookId: string, { json }: JsonOption): Promise<void> {
  await client.call('deleteWebhook', { params: { webhookId } });
  say(json ? JSON.stringify({ webhookId }) : `Webhook ${webhookId} is deleted`);
}

export async function rotateSecret(client: OrderClient, webhookId: string, { json }: JsonOption): Promise<void> {
  sayWithSecret(await client.call('rotateWebhookSecret', { params: { webhookId } }), json);
}

export async function test(client: OrderClient, webhookId: string, { json }: JsonOption): Promise<void> {
  const delivery = await sendTest(client, webhookId);
  if (json) say(JSON.stringify(delivery));
  if (delivery.state !== 'delivered')
    throw new Error(`The test message was not delivered (${delivery.state}): ${formatLastAttempt(delivery)}`);
  if (!json) say(`Delivered: ${formatLastAttempt(delivery)}`);
}

export async function enable(client: OrderClient, webhookId: string, { json }: JsonOption): Promise<void> {
  sayWebhook(await client.call('enableWebhook', { params: { webhookId } }), json);
}

export async function replay(
  client: OrderClient,
  webhookId: string,
  { json, after }: JsonOption & { after?: string },
): Promise<void> {
  sayWebhook(await client.call('replayWebhook', { params: { webhookId }, body: { after } }), json);
}

export async function deliveries(client: OrderClient, webhookId: string, options: ListOptions): Promise<void> {
  await printList(
    async (page) => {
      const call = { params: { webhookId }, query: page };
      const { deliveries, nextCursor } = await client.call('listDeliveries', call);
      return { items: deliveries, nextCursor };
    },
    DELIVERY_COLUMNS,
    options,
  );
}

/** Sends a test message, and polls until it is no longer pending or the attempt must have timed out. */
async function sendTest(client: OrderClient, webhookId: string): Promise<WebhookDelivery> {
  let delivery: WebhookDelivery = await client.call('testWebhook', { params: { webhookId } });
  for (let look = 0; delivery.state === 'pending' && look < TEST_LOOKS; look += 1) {
    await sleep(TEST_LOOK_MS);
    const { deliveries } = await client.call('listDeliveries', { params: { webhookId } });
    delivery = deliveries.find(({ deliveryId }) => deliveryId === delivery.deliveryId) ?? delivery;
  }
  return delivery;
}

function formatLastAttempt({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'no attempt yet';
  const answer = last.status === null ? 'no response' : `HTTP ${last.status}`;
  return `${answer} after ${last.durationMs} ms${last.fault === null ? '' : `, ${last.fault}`}`;
}

function sayWithSecret(webhook: WebhookWithSecret, json: true | undefined): void {
  sayWebhook(webhook, json);
  if (!json) sayAside('Save the secret now: it is not shown again.');
}

function sayWebhook(webhook: Webhook & { secret?: string }, json: true | undefined): void {
  say(json ? JSON.stringify(webhook) : formatWebhook(webhook));
}

function formatWebhook(webhook: Webhook & { secret?: string }): string {
  const { secret } = webhook;
  return formatFields([
    ['webhook', webhook.webhookId],
    ['state', webhook.state],
    ['URL', webhook.url],
    ['description', webhook.description],
    ['created', formatTime(webhook.createdTime)],
    ['disabled since', formatTime(webhook.disabledTime)],
    ['cause', webhook.disabledCause],
    ...(secret === undefined ? [] : [['secret', secret] as [string, string]]),
  ]);
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Webhook, WebhookDelivery, WebhookWithSecret } from '@lockstep/contract';
import type { Command } from 'commander';
import { addJsonOption, addListOptions, type ListOptions, parseId, parseText } from '../commands/options.ts';
import type { ServiceCommands } from '../commands/service.ts';
import { printList } from '../output/lists.ts';
import { type Column, formatFields, formatTable, formatTime } from '../output/table.ts';
import { say, sayAside } from '../output/terminal.ts';
import type { OrderClient } from './client.ts';

interface JsonOption {
  json?: true;
}

/** An attempt takes 15 seconds at most, and waits for its turn a moment. */
const TEST_LOOKS = 40;
const TEST_LOOK_MS = 500;

const WEBHOOK_COLUMNS: readonly Column<Webhook>[] = [
  { head: 'webhook', cell: ({ webhookId }) => webhookId, isRight: true },
  { head: 'state', cell: ({ state, disabledCause }) => disabledCause ?? state },
  { head: 'url', cell: ({ url }) => url, wraps: true },
  { head: 'description', cell: ({ description }) => description, wraps: true },
  { head: 'created', cell: ({ createdTime }) => formatTime(createdTime) },
];
const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { head: 'created', cell: ({ createdTime }) => formatTime(createdTime) },
  { head: 'message', cell: ({ messageId }) => messageId, isRight: true },
  { head: 'type', cell: ({ type }) => type, wraps: true },
  { head: 'state', cell: ({ state }) => state },
  { head: 'attempts', cell: ({ attempts }) => attempts.length, isRight: true },
  { head: 'last answer', cell: formatLastAttempt, wraps: true },
  { head: 'next', cell: ({ nextAttemptTime }) => formatTime(nextAttemptTime) },
];

/** Adds `lockstep webhook`: where the events of the application are sent, over the API. */
export function addWebhookCommands(program: Command, service: ServiceCommands): void {
  const webhook = program.command('webhook').description('where events are sent');
  /** A command on one webhook. */
  const addOne = (name: string, description: string) =>
    service.add(webhook, name, description).argument('<webhookId>', 'its id', parseId);

  addJsonOption(service.add(webhook, 'create', 'send events to an address; prints, this once, the secret'))
    .argument('<url>', 'the address: https', parseText)
    .option('--description <text>', 'what it is for', parseText)
    .action(async (url: string, { json, description }: JsonOption & { description?: string }, command: Command) => {
      const client = await service.openClient(command);
      sayWithSecret(await client.call('createWebhook', { body: { url, description } }), json);
    });

  addJsonOption(service.add(webhook, 'list', 'the webhooks of the application, oldest first')).action(
    async ({ json }: JsonOption, command: Command) => {
      const client = await service.openClient(command);
      const { webhooks } = await client.call('listWebhooks', {});
      if (json) for (const each of webhooks) say(JSON.stringify(each));
      else if (webhooks.length === 0) sayAside('None found.');
      else say(formatTable(WEBHOOK_COLUMNS, webhooks));
    },
  );

  addJsonOption(addOne('show', 'a webhook, without its secret')).action(
    async (webhookId: string, { json }: JsonOption, command: Command) => {
      const client = await service.openClient(command);
      sayWebhook(await client.call('getWebhook', { params: { webhookId } }), json);
    },
  );

  addJsonOption(addOne('delete', 'end a webhook for good')).action(
    async (webhookId: string, { json }: JsonOption, command: Command) => {
      const client = await service.openClient(command);
      await client.call('deleteWebhook', { params: { webhookId } });
      say(json ? JSON.stringify({ webhookId }) : `Webhook ${webhookId} is deleted`);
    },
  );

  addJsonOption(addOne('rotate-secret', 'give it a new secret, printed this once; for 24 hours both sign')).action(
    async (webhookId: string, { json }: JsonOption, command: Command) => {
      const client = await service.openClient(command);
      sayWithSecret(await client.call('rotateWebhookSecret', { params: { webhookId } }), json);
    },
  );

  addJsonOption(addOne('test', 'send a test message, and wait for its answer; status 1 if it is not delivered')).action(
    async (webhookId: string, { json }: JsonOption, command: Command) => {
      const delivery = await sendTest(await service.openClient(command), webhookId);
      if (json) say(JSON.stringify(delivery));
      if (delivery.state !== 'delivered')
        throw new Error(`The test is ${delivery.state}: ${formatLastAttempt(delivery)}`);
      if (!json) say(`Delivered: ${formatLastAttempt(delivery)}`);
    },
  );

  addJsonOption(addOne('enable', 'have events sent again, from now on')).action(
    async (webhookId: string, { json }: JsonOption, command: Command) => {
      const client = await service.openClient(command);
      sayWebhook(await client.call('enableWebhook', { params: { webhookId } }), json);
    },
  );

  addJsonOption(addOne('replay', 'send events again, oldest first'))
    .option('--after <id>', 'only those behind this event; without it all that are kept', parseId)
    .action(async (webhookId: string, { json, after }: JsonOption & { after?: string }, command: Command) => {
      const client = await service.openClient(command);
      sayWebhook(await client.call('replayWebhook', { params: { webhookId }, body: { after } }), json);
    });

  addListOptions(addOne('deliveries', 'messages to a webhook, newest first, and what became of them')).action(
    async (webhookId: string, options: ListOptions, command: Command) => {
      const client = await service.openClient(command);
      await printList(
        async (page) => {
          const call = { params: { webhookId }, query: page };
          const { deliveries, nextCursor } = await client.call('listDeliveries', call);
          return { items: deliveries, nextCursor };
        },
        DELIVERY_COLUMNS,
        options,
      );
    },
  );
}

/** Sends a test message, and looks for its answer until there is one. */
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
  const answer = last.status === null ? 'no answer' : `HTTP ${last.status}`;
  return `${answer} after ${last.durationMs} ms${last.fault === null ? '' : `, ${last.fault}`}`;
}

function sayWithSecret(webhook: WebhookWithSecret, json: true | undefined): void {
  sayWebhook(webhook, json);
  if (!json) sayAside('Keep the secret: it is not shown again.');
}

function sayWebhook(webhook: Webhook, json: true | undefined): void {
  const { createdTime, disabledTime, ...rest } = webhook;
  const times: [string, string | null][] = [
    ['createdTime', formatTime(createdTime)],
    ['disabledTime', formatTime(disabledTime)],
  ];
  say(json ? JSON.stringify(webhook) : formatFields([...Object.entries(rest), ...times]));
}

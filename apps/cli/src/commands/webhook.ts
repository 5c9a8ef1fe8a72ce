import { setTimeout as sleep } from 'node:timers/promises';
import type { Webhook, WebhookDelivery } from '@lockstep/contract';
import { LATEST } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import type { OrderClient } from '../client/client.ts';
import { JSON_OPTION, parseEventId, parseFrom, parseId, parseText, parseTo, parseUrl } from '../options.ts';
import { say } from '../output/terminal.ts';
import { type Column, type Fields, formatTime } from '../output/values.ts';
import { API_COMMANDS, type Commands } from './commands.ts';

/** An attempt times out after 15 seconds, and may start a moment late. */
const TEST_LOOKS = 40;
const TEST_LOOK_MS = 500;
/** How much of a receiver's answer a line shows. */
const MAX_SHOWN_CHARACTERS = 200;

const COLUMNS: readonly Column<Webhook>[] = [
  { head: 'webhook', cell: ({ webhookId }) => webhookId, isRight: true },
  { head: 'state', cell: ({ state, disabledCause }) => disabledCause ?? state },
  { head: 'URL', cell: ({ url }) => url, wraps: true },
  { head: 'description', cell: ({ description }) => description, wraps: true },
  { head: 'created', cell: ({ createdTime }) => formatTime(createdTime) },
];
const fields = (webhook: Webhook & { secret?: string }): Fields => [
  ['webhook', webhook.webhookId],
  ['state', webhook.state],
  ['URL', webhook.url],
  ['description', webhook.description],
  ['types', webhook.types?.join(', ') ?? null],
  ['channels', webhook.channelCodes?.join(', ') ?? null],
  ['created', formatTime(webhook.createdTime)],
  ['paused since', formatTime(webhook.pausedTime)],
  ['disabled since', formatTime(webhook.disabledTime)],
  ['cause', webhook.disabledCause],
  ...(webhook.secret === undefined ? [] : [['secret', webhook.secret] as const]),
];
const hint = 'Save the secret now: it is not shown again.';

const deliveryFields = ({ deliveryId, messageId, state, nextAttemptTime }: WebhookDelivery): Fields => [
  ['delivery', deliveryId],
  ['message', messageId],
  ['state', state],
  ['next attempt', formatTime(nextAttemptTime)],
];
const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { head: 'created', cell: ({ createdTime }) => formatTime(createdTime) },
  { head: 'delivery', cell: ({ deliveryId }) => deliveryId, isRight: true },
  { head: 'message', cell: ({ messageId }) => messageId, isRight: true },
  { head: 'type', cell: ({ type }) => type, wraps: true },
  { head: 'state', cell: ({ state }) => state },
  { head: 'attempts', cell: ({ attempts }) => attempts.length, isRight: true },
  { head: 'last attempt', cell: formatLastAttempt, wraps: true },
  { head: 'next attempt', cell: ({ nextAttemptTime }) => formatTime(nextAttemptTime) },
];

const LISTEN_HELP = `
Use it to try a receiver on this machine, without a public address. Events are
sent one by one, each until the receiver answers 2xx, whichever of the two
restarts in between.`;

/** Parses names separated by commas; `all` means no filter. Throws InvalidArgumentError. */
const parseNames = (value: string) => (value.trim() === 'all' ? [] : value.split(',').map(parseText));
const parseFromMs = (value: string) => Number(parseFrom(value));
const parseToMs = (value: string) => Number(parseTo(value));
const addFilters = (command: Command) =>
  command
    .option('--types <types>', 'Send only events of these types, separated by commas; all for no limit', parseNames)
    .option('--channel-codes <codes>', 'Send only events of these channels and of none; all for no limit', parseNames);

/** Adds `lockstep webhook …`. */
export function addWebhookCommands(program: Command, commands: Commands): void {
  const webhook = program.command('webhook').helpGroup(API_COMMANDS).description('Manage webhooks');
  const add = commands.onService(webhook, async () => ({ test }));
  const call = commands.operations(webhook);
  const one = ['<webhookId>', 'ID of the webhook', parseId] as const;

  addFilters(call('create', 'Create a webhook; print its secret (shown once)', { id: 'createWebhook', fields, hint }))
    .argument('<url>', 'HTTPS address to send events to', parseText)
    .option('--description <text>', 'What the webhook is for', parseText);
  call('list', 'List the webhooks of the application, oldest first', {
    id: 'listWebhooks',
    columns: COLUMNS,
    isOnePage: true,
  });
  call('show', 'Show a webhook without its secret', { id: 'getWebhook', fields }).argument(...one);
  addFilters(
    call('update', 'Change what is given of a webhook; a filter `all` clears it', { id: 'updateWebhook', fields }),
  )
    .argument(...one)
    .option('--url <url>', 'HTTPS address to send events to', parseText)
    .option('--description <text>', 'What the webhook is for');
  call('delete', 'Delete a webhook', {
    id: 'deleteWebhook',
    sentence: (_, { webhookId }) => `Webhook ${webhookId} is deleted`,
  }).argument(...one);
  call(
    'rotate-secret',
    'Replace the secret of a webhook; print the new secret (shown once). Earlier ones also sign, each for 24 hours',
    { id: 'rotateWebhookSecret', fields, hint },
  ).argument(...one);
  add('test', 'Send a test message; exit with status 1 if it is not delivered', 'test')
    .option(...JSON_OPTION)
    .argument(...one);
  call('pause', 'Pause a webhook; its events wait', { id: 'pauseWebhook', fields }).argument(...one);
  call('resume', 'Resume a paused webhook with the events that waited', { id: 'resumeWebhook', fields }).argument(
    ...one,
  );
  call('enable', 'Enable a disabled webhook for new events', { id: 'enableWebhook', fields }).argument(...one);
  call('replay', 'Send past events again, oldest first', { id: 'replayWebhook', fields })
    .argument(...one)
    .option('--after <id>', 'Send only events after this one (default: all events kept)', parseId)
    .option('--from <time>', 'Send only events since this time', parseFromMs)
    .option('--to <time>', 'Send only events up to this time; a date includes the whole day', parseToMs);
  call('resend', 'Send one message again', { id: 'resendDelivery', fields: deliveryFields })
    .argument('<webhook>', 'ID of the webhook', parseId)
    .argument('<entry>', 'ID of the delivery, as `deliveries` lists it', parseId);
  commands
    .onService(webhook, () => import('../client/listen.ts'))(
      'listen',
      'Send new events to a receiver until Ctrl-C, signed as a webhook does',
      'listen',
    )
    .requiredOption('--forward <url>', 'Address of the receiver, such as http://localhost:3000/hook', parseUrl)
    .option('--after <id>', 'Send the events after this one, not only new events', parseEventId, LATEST)
    .addOption(
      new Option('--secret <secret>', 'Secret to sign with (default: a new one, printed)').env(
        'LOCKSTEP_WEBHOOK_SECRET',
      ),
    )
    .addHelpText('after', LISTEN_HELP);
  call('deliveries', 'List messages to a webhook and their attempts, newest first', {
    id: 'listDeliveries',
    columns: DELIVERY_COLUMNS,
  }).argument(...one);
}

/** Sends a test message, and polls until it is no longer pending or the attempt must have timed out. */
async function test(client: OrderClient, webhookId: string, { json }: { json?: true }): Promise<void> {
  let delivery: WebhookDelivery = await client.call('testWebhook', { params: { webhookId } });
  for (let look = 0; delivery.state === 'pending' && look < TEST_LOOKS; look += 1) {
    await sleep(TEST_LOOK_MS);
    const { deliveries } = await client.call('listDeliveries', { params: { webhookId } });
    delivery = deliveries.find(({ deliveryId }) => deliveryId === delivery.deliveryId) ?? delivery;
  }
  if (json) say(JSON.stringify(delivery));
  if (delivery.state !== 'delivered')
    throw new Error(`The test message was not delivered (${delivery.state}): ${formatLastAttempt(delivery)}`);
  if (!json) say(`Delivered: ${formatLastAttempt(delivery)}`);
}

/** Formats the result of the last attempt to deliver a message. */
function formatLastAttempt({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'no attempt yet';
  const answer = last.status === null ? 'no response' : `HTTP ${last.status}`;
  const said = !last.answer ? '' : `: ${last.answer.slice(0, MAX_SHOWN_CHARACTERS)}`;
  return `${answer} after ${last.durationMs} ms${last.fault === null ? '' : `, ${last.fault}`}${said}`;
}

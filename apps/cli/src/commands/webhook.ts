import type { Command } from 'commander';
import { addJsonOption, addListOptions, parseId, parseText } from '../options.ts';
import type { Commands } from './actions.ts';

const load = () => import('../client/webhooks.ts');
type Action = keyof Awaited<ReturnType<typeof load>>;

/** Adds `lockstep webhook …`. */
export function addTo(webhook: Command, commands: Commands): void {
  const add = (name: string, description: string, action: Action) =>
    commands.onService(webhook, name, description, async () => (await load())[action]);
  /** Adds a command on one webhook. */
  const addOne = (name: string, description: string, action: Action) =>
    add(name, description, action).argument('<webhookId>', 'ID of the webhook', parseId);

  addJsonOption(add('create', 'Create a webhook; print its secret (shown once)', 'create'))
    .argument('<url>', 'HTTPS address to send events to', parseText)
    .option('--description <text>', 'What the webhook is for', parseText);
  addJsonOption(add('list', 'List the webhooks of the application, oldest first', 'list'));
  addJsonOption(addOne('show', 'Show a webhook without its secret', 'show'));
  addJsonOption(addOne('delete', 'Delete a webhook', 'remove'));
  addJsonOption(
    addOne(
      'rotate-secret',
      'Replace the secret of a webhook; print the new secret (shown once). For 24 hours, messages carry both signatures',
      'rotateSecret',
    ),
  );
  addJsonOption(addOne('test', 'Send a test message; exit with status 1 if it is not delivered', 'test'));
  addJsonOption(addOne('enable', 'Enable a disabled webhook for new events', 'enable'));
  addJsonOption(addOne('replay', 'Send past events again, oldest first', 'replay')).option(
    '--after <id>',
    'Send only events after this one (default: all events kept)',
    parseId,
  );
  addListOptions(addOne('deliveries', 'List messages to a webhook and their attempts, newest first', 'deliveries'));
}

import type { Command } from 'commander';
import { addJsonOption, addListOptions, parseId, parseText } from '../options.ts';
import type { Commands } from './actions.ts';

const load = () => import('../client/webhooks.ts');
type Action = keyof Awaited<ReturnType<typeof load>>;

/** Adds `lockstep webhook …`: where the events of the application are sent, over the API. */
export function addTo(webhook: Command, commands: Commands): void {
  const add = (name: string, description: string, action: Action) =>
    commands.onService(webhook, name, description, async () => (await load())[action]);
  /** A command on one webhook. */
  const addOne = (name: string, description: string, action: Action) =>
    add(name, description, action).argument('<webhookId>', 'its id', parseId);

  addJsonOption(add('create', 'send events to an address; prints, this once, the secret', 'create'))
    .argument('<url>', 'the address: https', parseText)
    .option('--description <text>', 'what it is for', parseText);
  addJsonOption(add('list', 'the webhooks of the application, oldest first', 'list'));
  addJsonOption(addOne('show', 'a webhook, without its secret', 'show'));
  addJsonOption(addOne('delete', 'end a webhook for good', 'remove'));
  addJsonOption(
    addOne('rotate-secret', 'give it a new secret, printed this once; for 24 hours both sign', 'rotateSecret'),
  );
  addJsonOption(
    addOne('test', 'send a test message, and wait for its answer; status 1 if it is not delivered', 'test'),
  );
  addJsonOption(addOne('enable', 'have events sent again, from now on', 'enable'));
  addJsonOption(addOne('replay', 'send events again, oldest first', 'replay')).option(
    '--after <id>',
    'only those behind this event; without it all that are kept',
    parseId,
  );
  addListOptions(addOne('deliveries', 'messages to a webhook, newest first, and what became of them', 'deliveries'));
}

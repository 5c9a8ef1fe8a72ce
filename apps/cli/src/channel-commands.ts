import { newCommand, recordPaused, recordResumed } from '@lockstep/operators';
import { pauseChannel, resumeChannel } from '@lockstep/orders';
import type { Command } from 'commander';
import { parseText } from './query-options.ts';
import { say, sayAside } from './say.ts';
import { formatTime } from './table.ts';
import type { WithDatabase } from './with-database.ts';

const PAUSE_HELP = `
Orders of its customers are accepted and wait; sync calls with such orders are refused until the channel is resumed.

Exit status: 0 no order of it takes effect any more; 1 a fault, or what began before has not ended: run it again to wait.`;

/** Adds `lockstep channel …`: what waits in channels, and pausing them (rules 9). */
export function addChannelCommands(program: Command, withDatabase: WithDatabase): void {
  const channel = program.command('channel').description('channels: what waits in them, and pausing them');
  channel
    .command('pause')
    .description('have the orders of a channel wait')
    .argument('<code>', 'its channelCode', parseText)
    .requiredOption('--reason <text>', "why; it goes to the operators' record only", parseText)
    .addHelpText('after', PAUSE_HELP)
    .action(async (code: string, { reason }: { reason: string }) => {
      const paused = await withDatabase((db) =>
        pauseChannel(db, code, (trx) => recordPaused(trx, newCommand(), { code, reason })),
      );
      if (paused === undefined) throw unknown(code);
      if (paused.wasSo) sayAside(`It was paused before, since ${formatTime(paused.pausedTime)}. Nothing is recorded.`);
      if (!paused.isStill)
        throw new Error(`${code} is paused, but a drain or a call that began before still applies its orders.`);
      say(`${code} is paused`);
    });
  channel
    .command('resume')
    .description('have the orders of a paused channel take effect again')
    .argument('<code>', 'its channelCode', parseText)
    .action(async (code: string) => {
      const resumed = await withDatabase((db) =>
        resumeChannel(db, code, (trx) => recordResumed(trx, newCommand(), code)),
      );
      if (resumed === undefined) throw unknown(code);
      if (resumed.wasSo) sayAside('It was not paused. Nothing is recorded.');
      say(`${code} is not paused`);
    });
}

const unknown = (code: string) => new Error(`There is no channel ${code}: no customer is of it.`);

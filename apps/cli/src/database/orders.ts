import type { LicenseOrderId } from '@lockstep/contract';
import { newCommand, recordFailed, recordRetried } from '@lockstep/operators';
import { failPendingOrders, retryFailedOrders } from '@lockstep/orders';
import { isId, type Trx } from '@lockstep/platform';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseText } from '../commands/options.ts';
import { say, sayAside } from '../output/terminal.ts';
import type { WithDatabase } from './with-database.ts';

/** The exit status where nothing was done, because it is for the operator to decide what becomes of later orders. */
const UNDECIDED = 2;

const RETRY_HELP = `
What it prints names the orders that it could not put back, each with the reason: order_not_found, pending, succeeded, failed
(with the cause), content_expired (what it held is not kept).`;

const FAIL_HELP = `
Later orders of the same customers may then match something else. If any are pending, the command prints their ids, a line
each, and does nothing until --later says whether they run (keep) or fail too (fail).

Exit status: 0 done; 1 a fault, or one of the orders is not pending; 2 nothing done, say --later.`;

/** Adds `order fail` and `order retry`: ending pending orders, and putting them back (rules 9). */
export function addFailCommands(order: Command, withDatabase: WithDatabase): void {
  order
    .command('fail')
    .description('end pending orders with internal_error, held or not; prints how many')
    .argument('<licenseOrderId...>', 'their ids', collectIds)
    .requiredOption('--reason <text>', "why; it goes to the operators' record only", parseText)
    .addOption(new Option('--later <what>', "the customers' later pending orders").choices(['keep', 'fail']))
    .addHelpText('after', FAIL_HELP)
    .action(async (ids: LicenseOrderId[], { reason, later }: { reason: string; later?: 'keep' | 'fail' }) => {
      const { outcome, licenseOrderIds } = await withDatabase((db) =>
        failPendingOrders(db, {
          licenseOrderIds: ids,
          later: later ?? null,
          record: (trx, failedIds) => recordFailed(trx, newCommand(), { licenseOrderIds: failedIds, reason }),
          onUnended: (error) => sayAside(`A worker ends their batches; the command could not: ${oneLine(error)}`),
        }),
      );
      if (outcome === 'not_pending')
        throw new Error(`Not pending: ${licenseOrderIds.join(', ')}. Nothing was changed.`);
      if (outcome === 'failed') return say(JSON.stringify({ failed: licenseOrderIds.length }));
      for (const id of licenseOrderIds) say(id);
      sayAside('These later orders are pending. Nothing was changed: say --later keep or --later fail.');
      process.exitCode = UNDECIDED;
    });
  order
    .command('retry')
    .description('put orders that ended with internal_error back as pending, in their place; prints how many')
    .argument('<licenseOrderId...>', 'their ids', collectIds)
    .addHelpText('after', RETRY_HELP)
    .action(async (ids: LicenseOrderId[]) => {
      const actor = newCommand();
      const record = (trx: Trx, backIds: readonly LicenseOrderId[]) => recordRetried(trx, actor, backIds);
      say(JSON.stringify(await withDatabase((db) => retryFailedOrders(db, ids, record))));
    });
}

function oneLine(error: unknown): string {
  return (error as Error).message.split('\n')[0]!;
}

function collectIds(value: string, before: readonly string[] = []): string[] {
  if (!isId(value)) throw new InvalidArgumentError('It must be the licenseOrderId of an order, digits.');
  return [...before, value];
}

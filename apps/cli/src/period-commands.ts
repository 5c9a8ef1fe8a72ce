import { listPeriods } from '@lockstep/orders';
import type { Database } from '@lockstep/platform';
import { type Command, InvalidArgumentError } from 'commander';
import { archivePeriod } from './archive/archive-period.ts';
import { resolveCallerPath } from './caller-path.ts';
import { say, sayAside } from './say.ts';
import { endOnSignals } from './signals.ts';

type WithDatabase = <Result>(work: (db: Database) => Promise<Result>) => Promise<Result>;

/**
 * Adds `lockstep period …`: the months in which data is kept, and their archive (docs/operations.md).
 * @param withDatabase runs work on the database of the command
 * @param withoutDeadline the same for work that takes as long as it takes
 */
export function addPeriodCommands(
  program: Command,
  {
    withDatabase,
    withoutDeadline,
    release,
  }: { withDatabase: WithDatabase; withoutDeadline: WithDatabase; release: string },
): void {
  const period = program.command('period').description('the months in which data is kept');
  period
    .command('list')
    .description('all periods, oldest first, a line of JSON each')
    .action(async () => {
      for (const listed of await withDatabase(listPeriods)) say(JSON.stringify(listed));
    });
  period
    .command('archive')
    .description('write a period that is over into files, and remove its tables, while the service works')
    .argument('<number>', 'which one, from period list', parsePeriod)
    .requiredOption('--to <directory>', 'where the files are to be: a directory that is empty, or not there')
    .action(async (number: number, { to }: { to: string }) => {
      endOnSignals(() => 'Stopped. The same command goes on where it was.');
      const order = {
        period: number,
        directory: resolveCallerPath(to),
        release,
        say: (line: string) => sayAside(`period ${number}: ${line}`),
      };
      say(JSON.stringify(await withoutDeadline((db) => archivePeriod(db, order))));
    });
}

function parsePeriod(given: string): number {
  if (!/^\d{1,4}$/.test(given)) throw new InvalidArgumentError('It must be the number of a period.');
  return Number(given);
}

import type { LicenseOrderId } from '@lockstep/contract';
import { newCommand, recordFailed, recordRetried } from '@lockstep/operators';
import { failPendingOrders, retryFailedOrders } from '@lockstep/orders';
import { isId, type Trx } from '@lockstep/platform';
import { CommandFault, STATUS } from '../output/status.ts';
import { say, sayAside } from '../output/terminal.ts';
import { type DatabaseTools, notFound } from './with-database.ts';

/** Lists IDs after "no": 1, 2, or 3. */
const ALTERNATIVES = new Intl.ListFormat('en', { type: 'disjunction' });

/** One transaction holds the lanes of all named orders. */
const MAX_IDS = 2_000;

/** Fails pending orders. */
export async function fail(
  { withDatabase }: DatabaseTools,
  ids: string[],
  { reason, later }: { reason: string; later?: 'keep' | 'fail' },
): Promise<void> {
  const given = readIds(ids);
  const { outcome, licenseOrderIds } = await withDatabase((db) =>
    failPendingOrders(db, {
      licenseOrderIds: given,
      later: later ?? null,
      record: (trx, failedIds) => recordFailed(trx, newCommand(), { licenseOrderIds: failedIds, reason }),
      onNotCompleted: (error) =>
        sayAside(
          `Batches of these orders are not completed yet; a worker will complete them. Reason: ${oneLine(error)}`,
        ),
    }),
  );
  if (outcome === 'not_pending')
    throw new CommandFault('refused', `Not pending: ${licenseOrderIds.join(', ')}. Nothing changed.`);
  if (outcome === 'failed') return say(JSON.stringify({ failed: licenseOrderIds.length }));
  for (const id of licenseOrderIds) say(id);
  sayAside('These later orders are pending. Nothing changed. Run the command again with --later keep or --later fail.');
  process.exitCode = STATUS.refused;
}

/** Makes orders that failed with internal_error pending again. */
export async function retry({ withDatabase }: DatabaseTools, ids: string[]): Promise<void> {
  const given = readIds(ids);
  const actor = newCommand();
  const record = (trx: Trx, backIds: readonly LicenseOrderId[]) => recordRetried(trx, actor, backIds);
  const answer = await withDatabase((db) => retryFailedOrders(db, given, record));
  say(JSON.stringify(answer));
  const absent = answer.notRetried.filter(({ reason }) => reason === 'order_not_found');
  const absentIds = absent.map(({ licenseOrderId }) => licenseOrderId);
  if (absentIds.length > 0) throw notFound('order', ALTERNATIVES.format(absentIds));
}

function oneLine(error: unknown): string {
  return (error as Error).message.split('\n')[0]!;
}

function readIds(given: readonly string[]): LicenseOrderId[] {
  const wrong = given.find((id) => !isId(id));
  if (wrong !== undefined)
    throw new CommandFault('usage', `${wrong} is not a licenseOrderId, which consists of digits.`);
  if (given.length > MAX_IDS) throw new CommandFault('usage', `Name at most ${MAX_IDS} orders at once.`);
  return given as LicenseOrderId[];
}

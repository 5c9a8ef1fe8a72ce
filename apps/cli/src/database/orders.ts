import type { LicenseOrderId } from '@lockstep/contract';
import { newCommand, recordFailed, recordRetried } from '@lockstep/operators';
import { failPendingOrders, retryFailedOrders } from '@lockstep/orders';
import type { Database, Trx } from '@lockstep/platform';
import { CommandFault, STATUS } from '../output/status.ts';
import { say, sayAside } from '../output/terminal.ts';
import { notFound } from './with-database.ts';

/** Lists IDs after "no": 1, 2, or 3. */
const ALTERNATIVES = new Intl.ListFormat('en', { type: 'disjunction' });

/** Fails pending orders. */
export async function fail(
  db: Database,
  given: LicenseOrderId[],
  { reason, later }: { reason: string; later?: 'keep' | 'fail' },
) {
  const { outcome, licenseOrderIds } = await failPendingOrders(db, {
    channels: null,
    licenseOrderIds: given,
    later: later ?? null,
    record: (trx, failedIds) => recordFailed(trx, newCommand(), { licenseOrderIds: failedIds, reason }),
    onNotCompleted: (error) =>
      sayAside(`Batches of these orders are not completed yet; a worker will complete them. Reason: ${oneLine(error)}`),
  });
  if (outcome === 'not_pending')
    throw new CommandFault('refused', `Not pending: ${licenseOrderIds.join(', ')}. Nothing changed.`);
  if (outcome === 'failed') return { failed: licenseOrderIds.length };
  sayAside('These later orders are pending. Nothing changed. Run the command again with --later keep or --later fail.');
  process.exitCode = STATUS.refused;
  return licenseOrderIds.join('\n');
}

/** Makes orders that failed with internal_error pending again. */
export async function retry(db: Database, given: LicenseOrderId[]) {
  const actor = newCommand();
  const record = (trx: Trx, backIds: readonly LicenseOrderId[]) => recordRetried(trx, actor, backIds);
  const answer = await retryFailedOrders(db, given, record);
  const absent = answer.notRetried.filter(({ reason }) => reason === 'order_not_found');
  if (absent.length === 0) return answer;
  say(JSON.stringify(answer));
  const absentIds = absent.map(({ licenseOrderId }) => licenseOrderId);
  throw notFound('order', ALTERNATIVES.format(absentIds));
}

function oneLine(error: unknown): string {
  return (error as Error).message.split('\n')[0]!;
}

import type { ChannelDetail, ChannelHealth, ConsoleChannel } from '@lockstep/contract/console';
import { newCommand, recordPaused, recordResumed } from '@lockstep/operators';
import { findChannel, pauseChannel, pickChannels, readChannels, resumeChannel } from '@lockstep/orders';
import type { Database } from '@lockstep/platform';
import type { ListOptions } from '../options.ts';
import { printList } from '../output/lists.ts';
import { CommandFault } from '../output/status.ts';
import { formatFields, formatTable } from '../output/table.ts';
import { sayAside } from '../output/terminal.ts';
import { type Column, fieldsOf, formatTime, yesOrNo } from '../output/values.ts';
import { notFound } from './with-database.ts';

const CHANNEL_COLUMNS: readonly Column<ConsoleChannel>[] = [
  { head: 'channel', cell: ({ channelCode }) => channelCode, wraps: true },
  { head: 'state', cell: ({ state }) => state },
  { head: 'pending', cell: ({ pendingOrders }) => pendingOrders, isRight: true },
  { head: 'held', cell: ({ heldOrders }) => heldOrders, isRight: true },
  { head: 'oldest pending', cell: ({ oldestPendingTime }) => formatTime(oldestPendingTime) },
  { head: 'accepted/s', cell: ({ perSecond }) => formatRate(perSecond.accepted), isRight: true },
  { head: 'succeeded/s', cell: ({ perSecond }) => formatRate(perSecond.succeeded), isRight: true },
  { head: 'failed/s', cell: ({ perSecond }) => formatRate(perSecond.failed), isRight: true },
  { head: 'expected completion', cell: ({ estimatedCompletionTime }) => formatTime(estimatedCompletionTime) },
  { head: 'paused since', cell: ({ pausedTime }) => formatTime(pausedTime) },
];
const APPLICATION_COLUMNS: readonly Column<ChannelDetail['applications'][number]>[] = [
  { head: 'application', cell: ({ name }) => name, wraps: true },
  { head: 'appKey', cell: ({ appKey }) => appKey },
  { head: 'pending', cell: ({ pendingOrders }) => pendingOrders, isRight: true },
  { head: 'bound', cell: ({ isBound }) => yesOrNo(isBound) },
];

interface ChannelListOptions extends ListOptions {
  search?: string;
  state?: ChannelHealth;
}

export async function list(db: Database, { search, state, ...options }: ChannelListOptions): Promise<void> {
  const page = { after: null, limit: Number.POSITIVE_INFINITY };
  const { channels } = pickChannels(await readChannels(db), { search, state }, page);
  await printList(() => channels, CHANNEL_COLUMNS, options);
}

export async function show(db: Database, code: string, { json }: { json?: true }) {
  const found = await findChannel(db, await readChannels(db), code);
  if (found === undefined) throw unknown(code);
  return json ? found : formatChannel(found);
}

export async function pause(db: Database, code: string, { reason }: { reason: string }) {
  const paused = await pauseChannel(db, code, (trx) => recordPaused(trx, newCommand(), { code, reason }));
  if (paused === undefined) throw unknown(code);
  if (paused.isNoOp) sayAside(`It was already paused, since ${formatTime(paused.pausedTime)}. Nothing changed.`);
  if (paused.isIdle) return `Channel ${code} is paused`;
  throw new CommandFault(
    'fault',
    `Channel ${code} is paused, but a drain or a call that began earlier still applies its orders. ` +
      'Run the command again to wait for it.',
  );
}

export async function resume(db: Database, code: string) {
  const resumed = await resumeChannel(db, code, (trx) => recordResumed(trx, newCommand(), code));
  if (resumed === undefined) throw unknown(code);
  if (resumed.isNoOp) sayAside('It was not paused. Nothing changed.');
  return `Channel ${code} is ${resumed.isNoOp ? 'not paused' : 'resumed'}`;
}

const unknown = (code: string) => notFound('channel', code, 'A channel appears once it has a customer.');

function formatChannel(channel: Omit<ChannelDetail, 'pause'>): string {
  const { applications, hasMoreApplications } = channel;
  return [
    formatFields(fieldsOf(CHANNEL_COLUMNS, channel)),
    ...(applications.length > 0 ? ['', formatTable(APPLICATION_COLUMNS, applications)] : []),
    ...(hasMoreApplications ? [`Only the first ${applications.length} applications are shown.`] : []),
  ].join('\n');
}

/** Formats a rate with two significant digits, or from 10 on as an integer. */
function formatRate(perSecond: number): string {
  return perSecond < 10 ? String(Number(perSecond.toPrecision(2))) : perSecond.toFixed(0);
}

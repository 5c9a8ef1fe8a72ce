import type { ConsoleChannel } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { type Column, Count, DataTable, StateBadge, type TableProps, Time } from '../../kit/index.ts';
import { useRate } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { channelsWords } from './words.ts';

/** A table of channels with backlog and throughput. */
export function ChannelTable(props: TableProps<ConsoleChannel>) {
  const words = useWords(channelsWords);
  const rate = useRate();
  const columns: Column<ConsoleChannel>[] = [
    {
      header: words.channel,
      width: '10rem',
      cell: ({ channelCode }) => (
        <Link to="/channels/$channelCode" params={{ channelCode }}>
          {channelCode}
        </Link>
      ),
    },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
    { header: words.pending, align: 'end', cell: ({ pendingOrders }) => <Count value={pendingOrders} /> },
    { header: words.oldest, cell: ({ oldestPendingTime }) => <Time timeMs={oldestPendingTime} isRelative /> },
    { header: words.accepted, align: 'end', isMinor: true, cell: ({ perSecond }) => rate(perSecond.accepted) },
    { header: words.succeeded, align: 'end', isMinor: true, cell: ({ perSecond }) => rate(perSecond.succeeded) },
    { header: words.failed, align: 'end', isMinor: true, cell: ({ perSecond }) => rate(perSecond.failed) },
    {
      header: words.estimate,
      isMinor: true,
      cell: ({ estimatedCompletionTime }) => <Time timeMs={estimatedCompletionTime} isRelative />,
    },
    { header: words.paused, isMinor: true, cell: ({ pausedTime }) => <Time timeMs={pausedTime} isRelative /> },
  ];
  return <DataTable columns={columns} rowKey={({ channelCode }) => channelCode} {...props} />;
}

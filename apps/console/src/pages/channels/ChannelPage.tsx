import type { ChannelDetail, ConsoleChannel } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMayCall, useOperation } from '../../api/index.ts';
import {
  type Column,
  CopyId,
  Count,
  DataTable,
  Empty,
  Fields,
  Notice,
  Page,
  Query,
  Section,
  StateBadge,
  Time,
} from '../../kit/index.ts';
import { useRate } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { PauseChannel, ResumeChannel } from './PauseChannel.tsx';
import { channelsWords } from './words.ts';

const route = getRouteApi('/channels/$channelCode');
const REFRESH_MS = 5_000;

/** One channel: backlog, throughput, applications, and pause and resume. */
export default function ChannelPage() {
  const words = useWords(channelsWords);
  const { channelCode } = route.useParams();
  const channel = useOperation('getChannel', { params: { channelCode } }, { refreshMs: REFRESH_MS });
  const { data } = channel;
  return (
    <Page
      title={channelCode}
      beside={data && <StateBadge state={data.state} />}
      crumbs={[{ text: words.channels, to: '/channels' }]}
      actions={
        data &&
        (data.state === 'paused' ? (
          <ResumeChannel channelCode={channelCode} />
        ) : (
          <PauseChannel channelCode={channelCode} />
        ))
      }
    >
      <Query of={channel}>
        {(shown) => (
          <>
            {shown.state === 'paused' && (
              <Notice tone="warn" title={words.pausedTitle}>
                {words.pausedHelp}
              </Notice>
            )}
            {shown.state === 'behind' && (
              <Notice tone="warn" title={words.behindTitle}>
                {words.behindHelp}
              </Notice>
            )}
            <Known channel={shown} />
            <Section title={words.applicationsTitle}>
              <Applications channel={shown} />
            </Section>
          </>
        )}
      </Query>
    </Page>
  );
}

function Known({ channel }: { channel: ConsoleChannel }) {
  const words = useWords(channelsWords);
  const rate = useRate();
  const mayCall = useMayCall();
  const { channelCode, perSecond, pausedTime } = channel;
  return (
    <Fields
      fields={[
        { label: words.channel, value: <CopyId id={channelCode} what={words.channel} /> },
        { label: words.pending, value: <Count value={channel.pendingOrders} /> },
        { label: words.held, value: <Count value={channel.heldOrders} /> },
        { label: words.oldest, value: <Time timeMs={channel.oldestPendingTime} isRelative withUtc /> },
        { label: words.accepted, value: rate(perSecond.accepted) },
        { label: words.succeeded, value: rate(perSecond.succeeded) },
        { label: words.failed, value: rate(perSecond.failed) },
        {
          label: `${words.estimate}${words.gap}${words.aside(words.estimateHint)}`,
          value: <Time timeMs={channel.estimatedCompletionTime} isRelative />,
        },
        { label: words.paused, value: <Time timeMs={pausedTime} isRelative withUtc /> },
        {
          label: words.seeAlso,
          value: (
            <>
              <Link to="/batches" search={{ channelCode }}>
                {words.batches}
              </Link>
              {mayCall('listAuditLog') && (
                <>
                  {' · '}
                  <Link to="/audit-log" search={{ target: channelCode }}>
                    {words.changes}
                  </Link>
                </>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

function Applications({ channel: { applications, hasMoreApplications } }: { channel: ChannelDetail }) {
  const words = useWords(channelsWords);
  const columns: Column<ChannelDetail['applications'][number]>[] = [
    {
      header: words.name,
      width: '12rem',
      cell: ({ appKey, name }) => (
        <Link to="/applications/$appKey" params={{ appKey }}>
          {name}
        </Link>
      ),
    },
    { header: words.appKey, isMinor: true, cell: ({ appKey }) => <CopyId id={appKey} what={words.appKey} /> },
    { header: words.pending, align: 'end', cell: ({ pendingOrders }) => <Count value={pendingOrders} /> },
    { header: words.bound, cell: ({ isBound }) => (isBound ? words.yes : words.no) },
  ];
  return (
    <DataTable
      label={words.applicationsTitle}
      columns={columns}
      rows={applications}
      rowKey={({ appKey }) => appKey}
      empty={<Empty title={words.noApplications}>{words.noApplicationsHelp}</Empty>}
      footer={hasMoreApplications && <p>{words.moreApplications}</p>}
    />
  );
}

import type { ChannelDetail, ChannelHealth, ConsoleChannel, Overview } from '@lockstep/contract/console';
import { TextInput } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayCall, useOperation } from '../../api/index.ts';
import {
  type Column,
  ConfirmButton,
  CopyId,
  Count,
  DataTable,
  Empty,
  Fields,
  Filters,
  NoRows,
  Notice,
  optionsOf,
  Page,
  Query,
  Section,
  StateBadge,
  type TableProps,
  Time,
  useStateWords,
} from '../../kit/index.ts';
import { useNumberFormat, useRate, useWords } from '../../words/words.ts';
import { channelsWords } from './words.ts';

const route = getRouteApi('/channels');
const STATES = ['current', 'behind', 'paused'] as const satisfies ChannelHealth[];
const REFRESH_MS = 5_000;

/** All channels that have customers, filtered by code and state. */
export function ChannelsPage() {
  const words = useWords(channelsWords);
  const states = useStateWords();
  const { search, state, cursor } = route.useSearch();
  const query = { search, state: state as ChannelHealth | undefined, cursor };
  const channels = useOperation('listChannels', { query }, { keepsPrevious: true, refreshMs: REFRESH_MS });
  return (
    <Page title={words.channels} lead={words.intro}>
      <Filters
        fields={[
          { name: 'search', label: words.search, kind: 'text' },
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, states) },
        ]}
      />
      <Query of={channels}>
        {({ channels: rows, nextCursor }) => (
          <ChannelTable
            label={words.channels}
            rows={rows}
            isStale={channels.isPlaceholderData}
            empty={<NoRows title={words.noneTitle}>{words.noneYet}</NoRows>}
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Page>
  );
}

/** A table of channels with backlog and throughput. */
function ChannelTable(props: TableProps<ConsoleChannel>) {
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

/** The first channels that are behind or paused, linked to all of them. Renders nothing if there are none. */
export function DelayedChannels({ delayed: { behind, paused, first } }: Pick<Overview, 'delayed'>) {
  const words = useWords(channelsWords);
  const write = useNumberFormat();
  if (first.length === 0) return null;
  return (
    <Section title={words.delayed}>
      <ChannelTable
        label={words.delayed}
        rows={first}
        footer={
          <p>
            <Link to="/channels" search={{ state: 'behind' }}>
              {words.allBehind(write(behind))}
            </Link>
            {' · '}
            <Link to="/channels" search={{ state: 'paused' }}>
              {words.allPaused(write(paused))}
            </Link>
          </p>
        }
      />
    </Section>
  );
}

const pageRoute = getRouteApi('/channels/$channelCode');
const PAGE_REFRESH_MS = 5_000;

/** One channel: backlog, throughput, applications, and pause and resume. */
export function ChannelPage() {
  const words = useWords(channelsWords);
  const { channelCode } = pageRoute.useParams();
  const channel = useOperation('getChannel', { params: { channelCode } }, { refreshMs: PAGE_REFRESH_MS });
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

/** Pauses a channel, for a reason. */
function PauseChannel({ channelCode }: { channelCode: string }) {
  const words = useWords(channelsWords);
  const [reason, setReason] = useState('');
  return (
    <ConfirmButton
      operation="pauseChannel"
      call={{ params: { channelCode }, body: { reason: reason.trim() } }}
      label={words.pause}
      title={words.pauseTitle(channelCode)}
      isDangerous
      canConfirm={reason.trim() !== ''}
      done={({ isIdle }) => (isIdle ? words.pausedNow(channelCode) : words.stillRuns(channelCode))}
    >
      <p>{words.pauseSays}</p>
      <TextInput
        label={words.reason}
        description={words.reasonHint}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={255}
        autoComplete="off"
        required
      />
    </ConfirmButton>
  );
}

/** Resumes a paused channel. */
function ResumeChannel({ channelCode }: { channelCode: string }) {
  const words = useWords(channelsWords);
  return (
    <ConfirmButton
      operation="resumeChannel"
      call={{ params: { channelCode } }}
      label={words.resume}
      title={words.resumeTitle(channelCode)}
      done={words.resumedNow(channelCode)}
    >
      {words.resumeSays}
    </ConfirmButton>
  );
}

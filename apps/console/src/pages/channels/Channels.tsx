import type { ChannelDetail, ConsoleChannel, Overview, Pause } from '@lockstep/contract/console';
import { CHANNEL_HEALTHS } from '@lockstep/contract/words';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { REFRESH_MS, useMayCall, useOperation } from '../../api/operations.ts';
import { ConfirmButton, wordsOf } from '../../kit/dialogs.tsx';
import { optionsOf, TextField } from '../../kit/inputs.tsx';
import { Page, Section } from '../../kit/page.tsx';
import { Empty, Notice, StateBadge } from '../../kit/signs.tsx';
import { type Column, DataTable, List, type Table } from '../../kit/table.tsx';
import { Bar, CopyId, Count, Figure, Figures, Time } from '../../kit/values.tsx';
import { stateWords as states } from '../../words/codes.ts';
import { writeRate } from '../../words/formats.ts';
import { LatestBatches } from '../batches/Batches.tsx';
import { pageOf } from '../links.tsx';
import { channelsWords as words } from './words.ts';

/** All channels that have customers, filtered by code and state. */
export function ChannelsPage() {
  return (
    <Page title={words.channels} lead={words.intro}>
      <List
        label={words.channels}
        operation="listChannels"
        refreshMs={REFRESH_MS}
        filters={[
          { name: 'search', label: words.search, kind: 'text' },
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(CHANNEL_HEALTHS, states) },
        ]}
        {...channelTable()}
        none={[words.noneTitle, words.noneYet]}
      />
    </Page>
  );
}

/** The table of channels, with backlog and throughput. Bars compare the backlogs to `most`, the largest. */
const channelTable = (most?: number): Table<ConsoleChannel> => ({
  rowKey: ({ channelCode }) => channelCode,
  columns: [
    {
      header: words.channel,
      width: '10rem',
      cell: ({ channelCode: id }) => <Link {...pageOf.channel(id)}>{id}</Link>,
    },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
    {
      header: words.pendingOrders,
      align: 'end',
      cell: ({ pendingOrders: value }) =>
        most === undefined ? <Count value={value} /> : <Bar value={value} most={most} tone="busy" />,
    },
    { header: words.heldOrders, align: 'end', isMinor: true, cell: ({ heldOrders }) => <Count value={heldOrders} /> },
    { header: words.oldestPending, cell: ({ oldestPendingTime }) => <Time timeMs={oldestPendingTime} /> },
    {
      header: words.acceptedRate,
      align: 'end',
      isMinor: true,
      cell: ({ perSecond }) => writeRate(perSecond.accepted),
    },
    {
      header: words.succeededRate,
      align: 'end',
      isMinor: true,
      cell: ({ perSecond }) => writeRate(perSecond.succeeded),
    },
    { header: words.failedRate, align: 'end', isMinor: true, cell: ({ perSecond }) => writeRate(perSecond.failed) },
    {
      header: words.estimate,
      isMinor: true,
      cell: ({ estimatedCompletionTime }) => <Time timeMs={estimatedCompletionTime} />,
    },
  ],
});

/** The first channels that are behind, paused or hold orders, linked to all. Renders nothing if there are none. */
export function DelayedChannels({ delayed: { holding, behind, paused, first } }: Pick<Overview, 'delayed'>) {
  const table = channelTable(Math.max(...first.map(({ pendingOrders }) => pendingOrders)));
  if (first.length === 0) return null;
  const footer = (
    <p>
      <Link {...pageOf.channels({ state: 'behind' })}>{words.allBehind(behind)}</Link>
      {' · '}
      <Link {...pageOf.channels({ state: 'paused' })}>{words.allPaused(paused)}</Link>
      {' · '}
      <Link {...pageOf.channels({ state: 'holding' })}>{words.allHolding(holding)}</Link>
    </p>
  );
  return (
    <Section title={words.delayed}>
      <DataTable label={words.delayed} rows={first} {...table} footer={footer} />
    </Section>
  );
}

/** One channel: backlog, throughput, applications, and pause and resume. */
export function ChannelPage() {
  const mayCall = useMayCall();
  const { channelCode } = useParams({ from: '/channels/$channelCode' });
  const channel = useOperation('getChannel', { params: { channelCode } }, { refreshMs: REFRESH_MS });
  const { data } = channel;
  return (
    <Page
      title={channelCode}
      beside={data && <StateBadge state={data.state} />}
      crumbs={[{ text: words.channels, to: '/channels' }]}
      actions={
        data && (
          <>
            {mayCall('listAuditLog') && <Link {...pageOf.auditLog({ target: channelCode })}>{words.changes}</Link>}
            {data.state === 'paused' ? (
              <ConfirmButton
                operation="resumeChannel"
                call={{ params: { channelCode } }}
                {...wordsOf(words, 'resume', channelCode)}
              />
            ) : (
              <PauseChannel channelCode={channelCode} />
            )}
          </>
        )
      }
      of={channel}
    >
      {(shown) => (
        <>
          {shown.pause !== null && <PauseNotice pause={shown.pause} isHere />}
          {(shown.state === 'holding' || shown.state === 'behind') && (
            <Notice tone="warn" title={words[`${shown.state}Title`]}>
              {words[`${shown.state}Help`]} {shown.state === 'holding' && <Link to="/holds">{words.heldOrders}</Link>}
            </Notice>
          )}
          <Known channel={shown} />
          <LatestBatches of={{ channelCode }} />
          <Section title={words.applications}>
            <Applications channel={shown} />
          </Section>
        </>
      )}
    </Page>
  );
}

/** Says who paused a channel, when and why. Links to the channel's page, unless it is there. */
export function PauseNotice({ pause, isHere = false }: { pause: Pause; isHere?: boolean }) {
  const { channelCode, pausedTime, pausedBy, reason } = pause;
  return (
    <Notice tone="warn" title={words.pausedTitle(channelCode)}>
      <p>
        {words.pausedSince} <Time timeMs={pausedTime} isExact />
        {pausedBy !== null && ` ${words.pausedBy(pausedBy)}`}
        {reason !== null && `${words.colon}${reason}`}
      </p>
      {words.pausedHelp} {!isHere && <Link {...pageOf.channel(channelCode)}>{words.openChannel}</Link>}
    </Notice>
  );
}

/** Says that a channel is paused, where its customers are shown. Renders nothing if it isn't. */
export function PauseOf({ channelCode }: { channelCode: string }) {
  const { data } = useOperation('getChannel', { params: { channelCode } }, { refreshMs: REFRESH_MS });
  return data?.pause && <PauseNotice pause={data.pause} />;
}

/** The backlog and the throughput of a channel. */
function Known({ channel }: { channel: ConsoleChannel }) {
  const { channelCode, perSecond, pendingOrders, heldOrders, oldestPendingTime, estimatedCompletionTime } = channel;
  return (
    <Figures>
      <Figure
        label={words.pendingOrders}
        value={pendingOrders}
        tone={channel.state === 'current' ? 'busy' : 'warn'}
        link={pageOf.orders({ channelCode, state: 'pending' })}
      />
      <Figure label={words.heldOrders} value={heldOrders} tone="warn" link={{ to: '/holds' }} />
      <Figure label={words.oldestPending} value={<Time timeMs={oldestPendingTime} />} />
      <Figure label={words.acceptedRate} value={writeRate(perSecond.accepted)} tone="busy" />
      <Figure label={words.succeededRate} value={writeRate(perSecond.succeeded)} tone="good" />
      <Figure label={words.failedRate} value={writeRate(perSecond.failed)} tone="bad" />
      {estimatedCompletionTime !== null && (
        <Figure label={words.estimate} value={<Time timeMs={estimatedCompletionTime} />} />
      )}
    </Figures>
  );
}

function Applications({ channel: { applications, hasMoreApplications } }: { channel: ChannelDetail }) {
  const columns: Column<ChannelDetail['applications'][number]>[] = [
    {
      header: words.name,
      width: '12rem',
      cell: ({ appKey, name }) => <Link {...pageOf.application(appKey)}>{name}</Link>,
    },
    { header: words.appKey, isMinor: true, cell: ({ appKey }) => <CopyId id={appKey} what={words.appKey} /> },
    { header: words.pendingWithHeld, align: 'end', cell: ({ pendingOrders }) => <Count value={pendingOrders} /> },
    { header: words.bound, cell: ({ isBound }) => (isBound ? words.yes : words.no) },
  ];
  return (
    <DataTable
      label={words.applications}
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
  const [reason, setReason] = useState('');
  return (
    <ConfirmButton
      operation="pauseChannel"
      call={{ params: { channelCode }, body: { reason: reason.trim() } }}
      {...wordsOf(words, 'pause', channelCode)}
      isDangerous
      canConfirm={reason.trim() !== ''}
      done={({ isIdle }) => (isIdle ? words.pauseDone(channelCode) : words.stillRuns(channelCode))}
    >
      <p>{words.pauseSays}</p>
      <TextField label={words.reason} description={words.reasonHint} value={reason} onChange={setReason} required />
    </ConfirmButton>
  );
}

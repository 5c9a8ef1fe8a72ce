import type { ConsoleWebhook, ConsoleWebhookDetail } from '@lockstep/contract/console';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { REFRESH_MS, useMayCall, useOperation } from '../../api/operations.ts';
import { ConfirmButton, wordsOf } from '../../kit/dialogs.tsx';
import { Choice, TextField } from '../../kit/inputs.tsx';
import { Page, Section } from '../../kit/page.tsx';
import { Notice, StateBadge } from '../../kit/signs.tsx';
import { CopyId, Fields, Time } from '../../kit/values.tsx';
import { writeNumber } from '../../words/formats.ts';
import { readLocalTime, writeLocalTime, writeTime } from '../../words/times.ts';
import { ApplicationLink, pageOf } from '../links.tsx';
import { Deliveries } from './Deliveries.tsx';
import { webhooksWords as words } from './words.ts';

/** One webhook: state, backlog and messages. */
export function WebhookPage() {
  const { webhookId } = useParams({ from: '/webhooks/$webhookId' });
  const webhook = useOperation('getWebhook', { params: { webhookId } }, { refreshMs: REFRESH_MS });
  const { data } = webhook;
  return (
    <Page
      title={data?.description || words.webhook(webhookId)}
      beside={data && <StateBadge state={data.state} />}
      crumbs={[{ text: words.webhooks, to: '/webhooks' }]}
      actions={data && <WebhookActions webhook={data} />}
      of={webhook}
    >
      {(shown) => (
        <>
          <Advice webhook={shown} />
          <Known webhook={shown} />
          <Section title={words.deliveries}>
            <Deliveries webhookId={webhookId} />
          </Section>
        </>
      )}
    </Page>
  );
}

/** What is wrong with the webhook, and what to do. */
function Advice({ webhook: { state, disabledCause, applicationStatus } }: { webhook: ConsoleWebhookDetail }) {
  return (
    <>
      {applicationStatus !== 'approved' && <Notice tone="warn" title={words.notApproved} />}
      {(state === 'paused' || state === 'failing') && (
        <Notice tone="warn" title={words[`${state}Title`]}>
          {words[`${state}Help`]}
        </Notice>
      )}
      {disabledCause !== null && (
        <Notice tone="bad" title={words[disabledCause]}>
          {words.disabledHelp}
        </Notice>
      )}
    </>
  );
}

function Known({ webhook }: { webhook: ConsoleWebhookDetail }) {
  const mayCall = useMayCall();
  const { webhookId, pausedTime, disabledTime, failingSinceTime, pending, waitingEvents } = webhook;
  const count = ({ count: known, isMore }: typeof pending) => `${writeNumber(known)}${isMore ? '+' : ''}`;
  const fields = {
    [words.id]: <CopyId id={webhookId} what={words.id} />,
    [words.url]: <span className="mono">{webhook.url}</span>,
    [words.description]: webhook.description,
    [words.types]: webhook.types?.join(', '),
    [words.channels]: webhook.channelCodes?.join(', '),
    [words.application]: <ApplicationLink of={webhook} />,
    [words.createdTime]: <Time timeMs={webhook.createdTime} isExact />,
    [words.failingSince]: failingSinceTime ? <Time timeMs={failingSinceTime} isExact /> : undefined,
    [words.pausedSince]: pausedTime ? <Time timeMs={pausedTime} isExact /> : undefined,
    [words.disabledSince]: disabledTime ? <Time timeMs={disabledTime} isExact /> : undefined,
    [words.pending]: count(pending),
    [words.nextAttempt]: <Time timeMs={webhook.nextAttemptTime} />,
    [disabledTime === null ? words.waitingEvents : words.waitingSinceDisabled]: count(waitingEvents),
    [words.oldestMissing]: <Time timeMs={webhook.oldestMissingTime} isExact />,
    [words.auditLog]: mayCall('listAuditLog') ? (
      <Link {...pageOf.auditLog({ target: webhookId })}>{words.changes}</Link>
    ) : undefined,
  };
  return <Fields fields={fields} />;
}

/** The actions on a webhook: enable it if disabled, resume it if paused; otherwise pause, replay or test it. */
function WebhookActions({ webhook }: { webhook: ConsoleWebhook }) {
  const { webhookId } = webhook;
  const call = { params: { webhookId } };
  if (webhook.state === 'disabled') return <EnableWebhook webhook={webhook} />;
  if (webhook.state === 'paused')
    return <ConfirmButton operation="resumeWebhook" call={call} {...wordsOf(words, 'resume')} />;
  return (
    <>
      <ReplayEvents webhookId={webhookId} />
      <ConfirmButton operation="pauseWebhook" call={call} {...wordsOf(words, 'pause')} />
      <ConfirmButton operation="testWebhook" call={call} {...wordsOf(words, 'test')} />
    </>
  );
}

/** Enables a disabled webhook, with or without the events that it missed. */
function EnableWebhook({ webhook }: { webhook: ConsoleWebhook }) {
  const [isFromTime, setFromTime] = useState(true);
  const [fromMs, setFromMs] = useState<number | undefined>(
    webhook.failingSinceTime ?? webhook.disabledTime ?? undefined,
  );
  return (
    <ConfirmButton
      operation="enableWebhook"
      call={{ params: { webhookId: webhook.webhookId }, body: isFromTime ? { fromTime: fromMs } : {} }}
      label={words.enable}
      title={words.enableTitle}
      canConfirm={!isFromTime || fromMs !== undefined}
      done={words.enabled}
    >
      <Choice
        label={words.enableWith}
        value={isFromTime ? 'missed' : 'now'}
        options={{ missed: words.enableFrom, now: words.enableNow }}
        onChange={(chosen) => setFromTime(chosen === 'missed')}
      />
      {isFromTime && <TimeField label={words.fromTime} valueMs={fromMs} onChange={setFromMs} />}
    </ConfirmButton>
  );
}

const DAY_MS = 86_400_000;
const EVENT_ID = /^\d{1,19}$/;

/** Replays events to a webhook: of a period, after an event, or all that are stored. */
function ReplayEvents({ webhookId }: { webhookId: string }) {
  const [begin, setBegin] = useState<'time' | 'event' | 'all'>('time');
  const [fromMs, setFromMs] = useState<number | undefined>(() => Date.now() - DAY_MS);
  const [toMs, setToMs] = useState<number | undefined>(() => Date.now());
  const [after, setAfter] = useState('');
  const isAfterValid = EVENT_ID.test(after);
  const bodies = { time: { from: fromMs, to: toMs }, event: { after }, all: {} };
  const isValid = { time: fromMs !== undefined && toMs !== undefined, event: isAfterValid, all: true };
  return (
    <ConfirmButton
      operation="replayWebhook"
      call={{ params: { webhookId }, body: bodies[begin] }}
      {...wordsOf(words, 'replay')}
      canConfirm={isValid[begin]}
    >
      <p>{words.replaySays}</p>
      <Choice
        label={words.replayWhich}
        value={begin}
        options={{ time: words.replayFrom, event: words.replayAfter, all: words.replayAll }}
        onChange={setBegin}
      />
      {begin === 'time' && (
        <>
          <TimeField label={words.fromTime} valueMs={fromMs} onChange={setFromMs} />
          <TimeField label={words.toTime} valueMs={toMs} onChange={setToMs} />
        </>
      )}
      {begin === 'event' && (
        <TextField
          label={words.afterEvent}
          description={words.afterEventHint}
          value={after}
          onChange={(text) => setAfter(text.trim())}
          error={after === '' || isAfterValid ? undefined : words.afterEventInvalid}
          inputMode="numeric"
          required
        />
      )}
    </ConfirmButton>
  );
}

interface TimeFieldProps {
  label: string;
  valueMs: number | undefined;
  onChange: (valueMs: number | undefined) => void;
}

/** A field for a time in the reader's time zone, with UTC below. Undefined: no time selected. */
function TimeField({ label, valueMs, onChange }: TimeFieldProps) {
  const [text, setText] = useState(() => writeLocalTime(valueMs?.toString()));
  const change = (next: string) => {
    setText(next);
    const time = readLocalTime(next);
    onChange(time === undefined ? undefined : Number(time));
  };
  return (
    <TextField
      type="datetime-local"
      step={1}
      label={label}
      description={valueMs === undefined ? undefined : `${writeTime(valueMs, 'utc')} UTC`}
      error={valueMs === undefined ? words.timeInvalid : undefined}
      value={text}
      onChange={change}
      required
    />
  );
}

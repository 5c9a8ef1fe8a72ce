import type { ApplicationDetail, ApplicationStatus, ConsoleApplication } from '@lockstep/contract/console';
import { MAX_LEAD_DAYS, MAX_LEAD_TIMES, MAX_OVERLAP_HOURS } from '@lockstep/contract/words';
import { Checkbox } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayCall, useOperation } from '../../api/operations.ts';
import { ConfirmButton, OneTimeSecret, wordsOf } from '../../kit/dialogs.tsx';
import { ButtonLink, optionsOf, TextField } from '../../kit/inputs.tsx';
import { Page } from '../../kit/page.tsx';
import { StateBadge } from '../../kit/signs.tsx';
import { type Column, List } from '../../kit/table.tsx';
import { CopyId, Fields, Figure, Figures, Time } from '../../kit/values.tsx';
import { stateWords as states } from '../../words/codes.ts';
import { writeNumber } from '../../words/formats.ts';
import { LatestBatches } from '../batches/Batches.tsx';
import { pageOf } from '../links.tsx';
import { LatestRefusals } from '../refusals/Refusals.tsx';
import { applicationsWords as words } from './words.ts';

const STATUSES = ['pending', 'approved', 'suspended'] as const satisfies ApplicationStatus[];

/** All applications, filtered by name, key and status. */
export function ApplicationsPage() {
  const mayCall = useMayCall();
  const statuses = optionsOf(STATUSES, { ...states, pending: states.unapproved });
  const columns: Column<ConsoleApplication>[] = [
    {
      header: words.name,
      width: '12rem',
      cell: ({ appKey, name }) => <Link {...pageOf.application(appKey)}>{name}</Link>,
    },
    { header: words.appKey, cell: ({ appKey }) => <CopyId id={appKey} what={words.appKey} /> },
    { header: words.status, cell: ({ status }) => <StateBadge state={status} pending="unapproved" /> },
    { header: words.scopes, isMinor: true, cell: ({ scopes }) => scopes.join(words.comma) },
    { header: words.channels, isMinor: true, cell: ({ channels }) => channels?.join(words.comma) ?? words.allChannels },
    { header: words.createdTime, isMinor: true, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
  ];
  return (
    <Page
      title={words.applications}
      lead={words.intro}
      actions={
        mayCall('createApplication') && <ButtonLink to={{ to: '/applications/new' }}>{words.newTitle}</ButtonLink>
      }
    >
      <List
        label={words.applications}
        operation="listApplications"
        filters={[
          { name: 'search', label: words.search, kind: 'text' },
          { name: 'status', label: words.status, kind: 'select', options: statuses },
        ]}
        columns={columns}
        rowKey={({ appKey }) => appKey}
        none={[words.noneTitle, words.noneYet]}
      />
    </Page>
  );
}

/** One application: its scopes, channels and tokens, and actions. */
export function ApplicationPage() {
  const { appKey } = useParams({ from: '/applications/$appKey' });
  const application = useOperation('getApplication', { params: { appKey } });
  const { data } = application;
  return (
    <Page
      title={data?.name ?? appKey}
      beside={data && <StateBadge state={data.status} pending="unapproved" />}
      crumbs={[{ text: words.applications, to: '/applications' }]}
      actions={data && <ApplicationActions application={data} />}
      of={application}
    >
      {(shown) => <Known application={shown} />}
    </Page>
  );
}

/** The actions of an admin on an application. */
function ApplicationActions({ application }: { application: ConsoleApplication }) {
  const { appKey, name, status } = application;
  const mayCall = useMayCall();
  const params = { appKey };
  return (
    <>
      {status !== 'approved' && (
        <ConfirmButton operation="approveApplication" call={{ params }} {...wordsOf(words, 'approve', name)} />
      )}
      {status !== 'suspended' && (
        <ConfirmButton
          operation="suspendApplication"
          call={{ params }}
          isDangerous
          {...wordsOf(words, 'suspend', name)}
        />
      )}
      <RotateSecret appKey={appKey} name={name} />
      <ConfirmButton
        operation="revokeApplicationTokens"
        call={{ params }}
        isDangerous
        {...wordsOf(words, 'revokeTokens', name)}
      />
      <ChangeNotices application={application} />
      {mayCall('bindApplication') && (
        <ButtonLink variant="default" to={pageOf.channelsOf(appKey)}>
          {words.bind}
        </ButtonLink>
      )}
      <ButtonLink variant="default" to={pageOf.webhooks({ appKey })}>
        {words.webhooks}
      </ButtonLink>
      {mayCall('listAuditLog') && (
        <ButtonLink variant="default" to={pageOf.auditLog({ target: appKey })}>
          {words.changes}
        </ButtonLink>
      )}
    </>
  );
}

function Known({ application }: { application: ApplicationDetail }) {
  const { appKey, scopes, channels, createdTime, liveTokens, oldSecretEndTime, lastTokenTime, lastBatchTime } =
    application;
  const { since, batches, orders, failed, isMore } = application.lastDay;
  const { hearsLicenses, leadDays } = application;
  const said = leadDays.length === 0 ? words.onlyExpired : words.leadDaysShown(leadDays.join(words.comma));
  const notices = channels === null && !hearsLicenses ? words.hearsNothing : said;
  const fields = {
    [words.appKey]: <CopyId id={appKey} what={words.appKey} />,
    [words.scopes]: scopes.join(words.comma),
    [words.channels]: channels?.join(words.comma) ?? words.allChannels,
    [words.noticesOfLicenses]: notices,
    [words.createdTime]: <Time timeMs={createdTime} isExact />,
    [words.oldSecretEnd]: oldSecretEndTime === null ? words.noOldSecret : <Time timeMs={oldSecretEndTime} isExact />,
    [words.liveTokens]: `${writeNumber(liveTokens.count)}${liveTokens.isMore ? '+' : ''}${words.gap}${words.aside(words.liveTokensHint)}`,
    [words.lastToken]: lastTokenTime === null ? words.noToken : <Time timeMs={lastTokenTime} />,
  };
  const count = (value: number) => (isMore ? words.atLeast(value) : value);
  const filters = { appKey, acceptedFrom: String(since) };
  return (
    <>
      <Figures>
        <Figure label={words.lastBatch} value={<Time timeMs={lastBatchTime} />} />
        <Figure label={words.dayBatches} value={count(batches)} link={pageOf.batches(filters)} />
        <Figure label={words.dayOrders} value={count(orders)} link={pageOf.orders(filters)} />
        <Figure
          label={words.dayFailed}
          value={count(failed)}
          tone="bad"
          link={pageOf.orders({ ...filters, state: 'failed' })}
        />
      </Figures>
      <Fields fields={fields} />
      <LatestBatches of={{ appKey }} />
      <LatestRefusals appKey={appKey} />
    </>
  );
}

/** Changes which events of licenses an application gets. */
function ChangeNotices({ application }: { application: ConsoleApplication }) {
  const { appKey, name, channels } = application;
  const [hearsLicenses, setHears] = useState(application.hearsLicenses);
  const [text, setText] = useState(application.leadDays.join(', '));
  const leadDays = text
    .split(/[,，\s]+/)
    .filter((day) => day !== '')
    .map(Number);
  const isValid =
    leadDays.length <= MAX_LEAD_TIMES &&
    leadDays.every((day) => Number.isInteger(day) && day >= 1 && day <= MAX_LEAD_DAYS);
  return (
    <ConfirmButton
      operation="changeNotices"
      call={{ params: { appKey }, body: { hearsLicenses, leadDays } }}
      {...wordsOf(words, 'notices', name)}
      canConfirm={isValid}
    >
      <p>{words.noticesSays}</p>
      {channels === null && (
        <Checkbox
          label={words.hearsLicenses}
          description={words.hearsLicensesHint}
          checked={hearsLicenses}
          onChange={(event) => setHears(event.currentTarget.checked)}
        />
      )}
      <TextField
        label={words.leadDays}
        description={words.leadDaysHint}
        value={text}
        onChange={setText}
        error={isValid ? undefined : words.leadDaysInvalid}
      />
    </ConfirmButton>
  );
}

/** Lifetime of a token. */
const TOKEN_HOURS = 2;
const HOUR_MS = 3_600_000;

/** Rotates an application's secret and shows the new one once. */
function RotateSecret({ appKey, name }: { appKey: string; name: string }) {
  const [text, setText] = useState('24');
  const hours = Number(text);
  const isValid = /^\d{1,3}$/.test(text) && hours <= MAX_OVERLAP_HOURS;
  return (
    <ConfirmButton
      operation="rotateApplicationSecret"
      call={{ params: { appKey }, body: { overlapHours: hours } }}
      {...wordsOf(words, 'rotate', name)}
      canConfirm={isValid}
      result={({ appKey: key, appSecret, oldSecretEndTime }, onClose) => (
        <OneTimeSecret
          title={words.rotateDone}
          secrets={{ [words.appKey]: key, [words.appSecret]: appSecret }}
          onClose={onClose}
        >
          {oldSecretEndTime === null ? (
            <p>{words.oldEnded}</p>
          ) : (
            <>
              <p>
                {words.oldGoodUntil} <Time timeMs={oldSecretEndTime} isExact />
              </p>
              <p>
                {words.tokensGoodUntil} <Time timeMs={oldSecretEndTime + TOKEN_HOURS * HOUR_MS} isExact />
              </p>
            </>
          )}
          <p>{words.secretOnce}</p>
        </OneTimeSecret>
      )}
    >
      <p>{words.rotateSays}</p>
      <TextField
        label={words.overlapHours}
        description={words.overlapHint}
        inputMode="numeric"
        value={text}
        onChange={(given) => setText(given.trim())}
        error={isValid ? undefined : words.overlapInvalid}
      />
      {isValid && (
        <p>{hours === 0 ? words.nothingWorks : words.stillWorks(String(hours), String(hours + TOKEN_HOURS))}</p>
      )}
    </ConfirmButton>
  );
}

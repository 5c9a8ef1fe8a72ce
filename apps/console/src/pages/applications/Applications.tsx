import type { ApplicationDetail, ApplicationStatus, ConsoleApplication } from '@lockstep/contract/console';
import { Button, TextInput } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayCall, useOperation } from '../../api/index.ts';
import {
  type Column,
  ConfirmButton,
  CopyId,
  DataTable,
  type Field,
  Fields,
  Filters,
  NoRows,
  OneTimeSecret,
  optionsOf,
  Page,
  Query,
  Section,
  StateBadge,
  Time,
  useStateWords,
} from '../../kit/index.ts';
import { useNumberFormat, useWords } from '../../words/words.ts';
import formStyles from './Form.module.css';
import { applicationsWords } from './words.ts';

const route = getRouteApi('/applications');
const STATUSES = ['pending', 'approved', 'suspended'] as const satisfies ApplicationStatus[];

/** All applications, filtered by name, key and status. */
export function ApplicationsPage() {
  const words = useWords(applicationsWords);
  const states = useStateWords();
  const mayCall = useMayCall();
  const { search, status, cursor } = route.useSearch();
  const query = { search, status: status as ApplicationStatus | undefined, cursor };
  const applications = useOperation('listApplications', { query }, { keepsPrevious: true });
  const columns = useColumns();
  return (
    <Page
      title={words.applications}
      lead={words.intro}
      actions={
        mayCall('createApplication') && (
          <Button renderRoot={(props) => <Link to="/applications/new" {...props} />}>{words.newTitle}</Button>
        )
      }
    >
      <Filters
        fields={[
          { name: 'search', label: words.search, kind: 'text' },
          {
            name: 'status',
            label: words.status,
            kind: 'select',
            options: optionsOf(STATUSES, { ...states, pending: states.unapproved }),
          },
        ]}
      />
      <Query of={applications}>
        {({ applications: rows, nextCursor }) => (
          <DataTable
            label={words.applications}
            columns={columns}
            rows={rows}
            rowKey={({ appKey }) => appKey}
            isStale={applications.isPlaceholderData}
            empty={<NoRows title={words.noneTitle}>{words.noneYet}</NoRows>}
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Page>
  );
}

function useColumns(): readonly Column<ConsoleApplication>[] {
  const words = useWords(applicationsWords);
  return [
    {
      header: words.name,
      width: '12rem',
      cell: ({ appKey, name }) => (
        <Link to="/applications/$appKey" params={{ appKey }}>
          {name}
        </Link>
      ),
    },
    { header: words.appKey, cell: ({ appKey }) => <CopyId id={appKey} what={words.appKey} /> },
    { header: words.status, cell: ({ status }) => <StateBadge state={status} pending="unapproved" /> },
    { header: words.scopes, isMinor: true, cell: ({ scopes }) => scopes.join(words.comma) },
    { header: words.channels, isMinor: true, cell: ({ channels }) => <ChannelList of={channels} /> },
    { header: words.createdTime, isMinor: true, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
  ];
}

const pageRoute = getRouteApi('/applications/$appKey');

/** One application: its scopes, channels and tokens, and actions. */
export function ApplicationPage() {
  const words = useWords(applicationsWords);
  const { appKey } = pageRoute.useParams();
  const application = useOperation('getApplication', { params: { appKey } });
  const { data } = application;
  return (
    <Page
      title={data?.name ?? appKey}
      beside={data && <StateBadge state={data.status} pending="unapproved" />}
      crumbs={[{ text: words.applications, to: '/applications' }]}
      actions={data && <ApplicationActions application={data} />}
    >
      <Query of={application}>{(shown) => <Known application={shown} />}</Query>
    </Page>
  );
}

function Known({ application }: { application: ApplicationDetail }) {
  const words = useWords(applicationsWords);
  const writeNumber = useNumberFormat();
  const mayCall = useMayCall();
  const { appKey, name, scopes, channels, createdTime, liveTokens, oldSecretEndTime } = application;
  const fields: Field[] = [
    { label: words.appKey, value: <CopyId id={appKey} what={words.appKey} /> },
    { label: words.scopes, value: scopes.join(words.comma) },
    { label: words.channels, value: <ChannelList of={channels} /> },
    { label: words.createdTime, value: <Time timeMs={createdTime} isRelative withUtc /> },
    {
      label: words.oldSecretEnd,
      value: oldSecretEndTime === null ? words.noOldSecret : <Time timeMs={oldSecretEndTime} isRelative withUtc />,
    },
    {
      label: words.liveTokens,
      value: (
        <div className={formStyles.buttons}>
          {`${writeNumber(liveTokens.count)}${liveTokens.isMore ? '+' : ''}${words.gap}${words.aside(words.liveTokensHint)}`}
          <ConfirmButton
            operation="revokeApplicationTokens"
            call={{ params: { appKey } }}
            label={words.revokeTokens}
            title={words.revokeTitle(name)}
            isDangerous
            done={words.revokedNow(name)}
          >
            {words.revokeSays(name)}
          </ConfirmButton>
        </div>
      ),
    },
  ];
  return (
    <>
      <Fields fields={fields} />
      <Section title={words.seeAlso}>
        <nav className={formStyles.links} aria-label={words.seeAlso}>
          <Link to="/batches" search={{ appKey }}>
            {words.batches}
          </Link>
          <Link to="/webhooks" search={{ appKey }}>
            {words.webhooks}
          </Link>
          {mayCall('listAuditLog') && (
            <Link to="/audit-log" search={{ target: appKey }}>
              {words.changes}
            </Link>
          )}
        </nav>
      </Section>
    </>
  );
}

/** The actions of an admin on an application. */
function ApplicationActions({ application: { appKey, name, status } }: { application: ConsoleApplication }) {
  const words = useWords(applicationsWords);
  const mayCall = useMayCall();
  const params = { appKey };
  return (
    <>
      {status !== 'approved' && (
        <ConfirmButton
          operation="approveApplication"
          call={{ params }}
          label={words.approve}
          title={words.approveTitle(name)}
          done={words.approvedNow(name)}
        >
          {words.approveSays(name)}
        </ConfirmButton>
      )}
      {status !== 'suspended' && (
        <ConfirmButton
          operation="suspendApplication"
          call={{ params }}
          label={words.suspend}
          title={words.suspendTitle(name)}
          isDangerous
          done={words.suspendedNow(name)}
        >
          {words.suspendSays(name)}
        </ConfirmButton>
      )}
      <RotateSecret appKey={appKey} name={name} />
      {mayCall('bindApplication') && (
        <Button
          variant="default"
          renderRoot={(props) => <Link to="/applications/$appKey/channels" params={params} {...props} />}
        >
          {words.bind}
        </Button>
      )}
    </>
  );
}

const MAX_HOURS = 720;
const PROPOSED_HOURS = '24';
/** Lifetime of a token. */
const TOKEN_HOURS = 2;
const HOUR_MS = 3_600_000;

/** Rotates an application's secret and shows the new one once. */
function RotateSecret({ appKey, name }: { appKey: string; name: string }) {
  const words = useWords(applicationsWords);
  const [hours, setHours] = useState(PROPOSED_HOURS);
  const isValid = /^\d{1,3}$/.test(hours) && Number(hours) <= MAX_HOURS;
  return (
    <ConfirmButton
      operation="rotateApplicationSecret"
      call={{ params: { appKey }, body: { overlapHours: Number(hours) } }}
      label={words.rotate}
      title={words.rotateTitle(name)}
      canConfirm={isValid}
      done={words.rotated}
      result={(rotated, onClose) => (
        <OneTimeSecret
          title={words.rotated}
          secrets={[
            { label: words.appKey, value: rotated.appKey },
            { label: words.appSecret, value: rotated.appSecret },
          ]}
          onClose={onClose}
        >
          {rotated.oldSecretEndTime === null ? (
            <p>{words.oldEnded}</p>
          ) : (
            <>
              <p>
                {words.oldGoodUntil} <Time timeMs={rotated.oldSecretEndTime} withUtc />
              </p>
              <p>
                {words.tokensGoodUntil} <Time timeMs={rotated.oldSecretEndTime + TOKEN_HOURS * HOUR_MS} withUtc />
              </p>
            </>
          )}
          <p>{words.secretOnce}</p>
        </OneTimeSecret>
      )}
    >
      <p>{words.rotateSays}</p>
      <TextInput
        label={words.overlapHours}
        description={words.overlapHint}
        inputMode="numeric"
        value={hours}
        onChange={(event) => setHours(event.currentTarget.value.trim())}
        error={isValid ? undefined : words.overlapInvalid}
        autoComplete="off"
      />
      {isValid && (
        <p>
          {Number(hours) === 0
            ? words.nothingWorks
            : words.stillWorks(String(Number(hours)), String(Number(hours) + TOKEN_HOURS))}
        </p>
      )}
    </ConfirmButton>
  );
}

function ChannelList({ of: channels }: { of: ConsoleApplication['channels'] }) {
  const words = useWords(applicationsWords);
  return <>{channels === null ? words.allChannels : channels.join(words.comma)}</>;
}

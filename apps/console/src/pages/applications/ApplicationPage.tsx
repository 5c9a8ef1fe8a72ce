import type { ApplicationDetail } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMayCall, useOperation } from '../../api/index.ts';
import { ConfirmButton, CopyId, type Field, Fields, Page, Query, Section, StateBadge, Time } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { ApplicationActions } from './ApplicationActions.tsx';
import { ChannelList } from './ChannelList.tsx';
import styles from './Form.module.css';
import { applicationsWords } from './words.ts';

const route = getRouteApi('/applications/$appKey');

/** One application: its scopes, channels and tokens, and actions. */
export default function ApplicationPage() {
  const words = useWords(applicationsWords);
  const { appKey } = route.useParams();
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
        <div className={styles.buttons}>
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
        <nav className={styles.links} aria-label={words.seeAlso}>
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

import type { ConsoleWebhookDetail } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMayCall, useOperation } from '../../api/index.ts';
import {
  CopyButton,
  CopyId,
  type Field,
  Fields,
  Notice,
  Page,
  Query,
  Section,
  StateBadge,
  Time,
} from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { Deliveries } from './Deliveries.tsx';
import { WebhookActions } from './WebhookActions.tsx';
import { webhooksWords } from './words.ts';

const route = getRouteApi('/webhooks/$webhookId');
const REFRESH_MS = 5_000;

/** One webhook: state, backlog and messages. */
export default function WebhookPage() {
  const words = useWords(webhooksWords);
  const { webhookId } = route.useParams();
  const webhook = useOperation('getWebhook', { params: { webhookId } }, { refreshMs: REFRESH_MS });
  const { data } = webhook;
  return (
    <Page
      title={words.webhook(webhookId)}
      beside={data && <StateBadge state={data.state} />}
      crumbs={[{ text: words.webhooks, to: '/webhooks' }]}
      actions={data && <WebhookActions webhook={data} />}
    >
      <Query of={webhook}>
        {(shown) => (
          <>
            <Advice webhook={shown} />
            <Known webhook={shown} />
            <Section title={words.deliveries}>
              <Deliveries webhookId={webhookId} />
            </Section>
          </>
        )}
      </Query>
    </Page>
  );
}

/** What is wrong with the webhook, and what to do. */
function Advice({ webhook: { state, disabledCause, applicationStatus } }: { webhook: ConsoleWebhookDetail }) {
  const words = useWords(webhooksWords);
  return (
    <>
      {applicationStatus !== 'approved' && <Notice tone="warn" title={words.notApproved} />}
      {state === 'failing' && (
        <Notice tone="warn" title={words.failingTitle}>
          {words.failingHelp}
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
  const words = useWords(webhooksWords);
  const writeNumber = useNumberFormat();
  const mayCall = useMayCall();
  const {
    webhookId,
    appKey,
    disabledTime,
    failingSinceTime,
    pending,
    waitingEvents,
    nextAttemptTime,
    oldestMissingTime,
  } = webhook;
  const count = ({ count: known, isMore }: typeof pending) => `${writeNumber(known)}${isMore ? '+' : ''}`;
  const fields: Field[] = [
    { label: words.id, value: <CopyId id={webhookId} what={words.id} /> },
    { label: words.url, value: <span className="mono">{webhook.url}</span> },
    { label: words.description, value: webhook.description },
    {
      label: words.application,
      value: (
        <>
          <Link to="/applications/$appKey" params={{ appKey }}>
            {webhook.applicationName}
          </Link>
          <CopyButton text={appKey} what={words.appKey} />
        </>
      ),
    },
    { label: words.createdTime, value: <Time timeMs={webhook.createdTime} isRelative withUtc /> },
    ...(failingSinceTime === null
      ? []
      : [{ label: words.failingSince, value: <Time timeMs={failingSinceTime} isRelative withUtc /> }]),
    ...(disabledTime === null
      ? []
      : [{ label: words.disabledTime, value: <Time timeMs={disabledTime} isRelative withUtc /> }]),
    { label: words.pending, value: count(pending) },
    { label: words.nextAttempt, value: <Time timeMs={nextAttemptTime} isRelative /> },
    { label: disabledTime === null ? words.waitingEvents : words.waitingSinceDisabled, value: count(waitingEvents) },
    { label: words.oldestMissing, value: <Time timeMs={oldestMissingTime} isRelative withUtc /> },
    {
      label: words.auditLog,
      value: mayCall('listAuditLog') ? (
        <Link to="/audit-log" search={{ target: webhookId }}>
          {words.changes}
        </Link>
      ) : undefined,
    },
  ];
  return <Fields fields={fields} />;
}

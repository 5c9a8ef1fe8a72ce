import type { ConsoleData } from '@lockstep/contract/console';
import { StateBadge } from '../../kit/signs.tsx';
import { type Column, List } from '../../kit/table.tsx';
import { CopyId, Line, Time } from '../../kit/values.tsx';
import { useDuration, useLanguage, useWords } from '../../words/words.ts';
import styles from '../pages.module.css';
import { translateFault } from './faults-zh.ts';
import { webhooksWords } from './words.ts';

type Delivery = ConsoleData<'listWebhookDeliveries'>['deliveries'][number];
type Attempt = Delivery['attempts'][number];

const REFRESH_MS = 5_000;

/** The messages to a webhook, newest first, with their attempts. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const words = useWords(webhooksWords);
  const columns: Column<Delivery>[] = [
    { header: words.message, cell: ({ messageId }) => <CopyId id={messageId} what={words.message} /> },
    { header: words.type, isMinor: true, cell: ({ type }) => <span className="mono">{type}</span> },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} pending="unsent" /> },
    { header: words.messageTime, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
    { header: words.attempts, width: '16rem', cell: (delivery) => <Attempts of={delivery} /> },
  ];
  return (
    <List
      label={words.deliveriesOf(webhookId)}
      operation="listWebhookDeliveries"
      call={{ params: { webhookId } }}
      rows={({ deliveries }) => deliveries}
      refreshMs={REFRESH_MS}
      columns={columns}
      rowKey={({ deliveryId }) => deliveryId}
      none={[words.noDeliveriesTitle, words.noDeliveries]}
    />
  );
}

function Attempts({ of: { attempts, nextAttemptTime } }: { of: Delivery }) {
  const words = useWords(webhooksWords);
  const last = attempts.at(-1);
  return (
    <>
      {last !== undefined && <Outcome of={last} />}
      {attempts.length > 1 && (
        <details>
          <summary>{words.showAttempts(attempts.length)}</summary>
          <ol>
            {attempts.map((attempt) => (
              <li key={attempt.time}>
                <Outcome of={attempt} />
              </li>
            ))}
          </ol>
        </details>
      )}
      {nextAttemptTime !== null && <Line label={words.next} value={<Time timeMs={nextAttemptTime} />} />}
    </>
  );
}

function Outcome({ of: { time, status, durationMs, fault } }: { of: Attempt }) {
  const words = useWords(webhooksWords);
  const language = useLanguage();
  const writeDuration = useDuration();
  return (
    <div>
      <Time timeMs={time} />{' '}
      <span className={fault === null ? undefined : styles.fault}>{status ?? words.noAnswer}</span>{' '}
      {writeDuration(durationMs)}
      {fault !== null && (
        <div className={styles.fault}>{language === 'zh' ? translateFault(fault, status) : fault}</div>
      )}
    </div>
  );
}

import type { ConsoleData } from '@lockstep/contract/console';
import { useMemo } from 'react';
import { useOperation } from '../../api/index.ts';
import { type Column, CopyId, DataTable, Empty, Query, StateBadge, Time } from '../../kit/index.ts';
import { useDuration } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import styles from './Deliveries.module.css';
import { webhooksWords } from './words.ts';

type Delivery = ConsoleData<'listWebhookDeliveries'>['deliveries'][number];
type Attempt = Delivery['attempts'][number];

const REFRESH_MS = 5_000;

/** The messages to a webhook, newest first, with every attempt to deliver them. */
export function Deliveries(props: {
  webhookId: string;
  cursor: string | undefined;
  onCursor: (cursor: string | undefined) => void;
}) {
  const { webhookId, cursor, onCursor } = props;
  const words = useWords(webhooksWords);
  const columns = useColumns();
  const deliveries = useOperation(
    'listWebhookDeliveries',
    { params: { webhookId }, query: { cursor } },
    // What is older does not change.
    { keepsPrevious: true, refreshMs: cursor === undefined ? REFRESH_MS : false },
  );
  return (
    <Query of={deliveries}>
      {({ deliveries: rows, nextCursor }) => (
        <DataTable
          label={words.deliveriesOf(webhookId)}
          columns={columns}
          rows={rows}
          rowKey={({ deliveryId }) => deliveryId}
          isStale={deliveries.isPlaceholderData}
          empty={<Empty title={words.noDeliveriesTitle}>{words.noDeliveries}</Empty>}
          paging={{ cursor, nextCursor, onCursor }}
        />
      )}
    </Query>
  );
}

function useColumns(): readonly Column<Delivery>[] {
  const words = useWords(webhooksWords);
  return useMemo(
    () => [
      { id: 'message', header: words.message, cell: ({ messageId }) => <CopyId id={messageId} what={words.message} /> },
      { id: 'type', header: words.type, isMinor: true, cell: ({ type }) => <span className="mono">{type}</span> },
      { id: 'state', header: words.messageState, cell: ({ state }) => <StateBadge state={state} /> },
      { id: 'time', header: words.messageTime, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
      { id: 'attempts', header: words.attempts, width: '16rem', cell: (delivery) => <Attempts of={delivery} /> },
    ],
    [words],
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
          <ol className={styles.attempts}>
            {attempts.map((attempt) => (
              <li key={attempt.time}>
                <Outcome of={attempt} />
              </li>
            ))}
          </ol>
        </details>
      )}
      {nextAttemptTime !== null && (
        <div>
          {words.next} <Time timeMs={nextAttemptTime} isRelative />
        </div>
      )}
    </>
  );
}

function Outcome({ of: { time, status, durationMs, fault } }: { of: Attempt }) {
  const words = useWords(webhooksWords);
  const writeDuration = useDuration();
  return (
    <div>
      <Time timeMs={time} />{' '}
      <span className={fault === null ? undefined : styles.fault}>{status ?? words.noAnswer}</span>{' '}
      {writeDuration(durationMs)}
      {fault !== null && <div className={styles.fault}>{fault}</div>}
    </div>
  );
}

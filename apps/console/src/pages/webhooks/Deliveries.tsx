import type { ConsoleData } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { REFRESH_MS } from '../../api/operations.ts';
import { ConfirmButton, Dialog, wordsOf } from '../../kit/dialogs.tsx';
import { StateBadge } from '../../kit/signs.tsx';
import { type Column, DataTable, List } from '../../kit/table.tsx';
import { CopyId, Time } from '../../kit/values.tsx';
import { writeDuration } from '../../words/formats.ts';
import { language } from '../../words/language.ts';
import styles from '../pages.module.css';
import { translateFault } from './faults-zh.ts';
import { webhooksWords as words } from './words.ts';

type Delivery = ConsoleData<'listWebhookDeliveries'>['deliveries'][number];
type Attempt = Delivery['attempts'][number];

/** The messages to a webhook, newest first, with their attempts. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const columns: Column<Delivery>[] = [
    { header: words.message, cell: ({ messageId }) => <CopyId id={messageId} what={words.message} /> },
    { header: words.type, isMinor: true, cell: ({ type }) => <span className="mono">{type}</span> },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} pending="unsent" /> },
    { header: words.messageTime, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
    { header: words.answer, width: '16rem', cell: ({ attempts }) => <Answer of={attempts.at(-1)} /> },
    { header: words.nextAttempt, isMinor: true, cell: ({ nextAttemptTime }) => <Time timeMs={nextAttemptTime} /> },
    { header: words.attempts, align: 'end', cell: (delivery) => <Attempts of={delivery} /> },
    {
      header: words.resend,
      isMinor: true,
      cell: ({ deliveryId }) => (
        <ConfirmButton
          operation="resendDelivery"
          call={{ params: { webhookId, deliveryId } }}
          {...wordsOf(words, 'resend')}
        />
      ),
    },
  ];
  return (
    <List
      label={words.deliveriesOf(webhookId)}
      operation="listWebhookDeliveries"
      call={{ params: { webhookId } }}
      refreshMs={REFRESH_MS}
      columns={columns}
      rowKey={({ deliveryId }) => deliveryId}
      none={[words.noDeliveriesTitle, words.noDeliveries]}
    />
  );
}

/** The number of attempts, which opens a list of them. */
function Attempts({ of: { messageId, attempts } }: { of: Delivery }) {
  const [isShown, setShown] = useState(false);
  const columns: Column<Attempt>[] = [
    { header: words.time, cell: ({ time }) => <Time timeMs={time} isExact /> },
    { header: words.answer, cell: (attempt) => <Answer of={attempt} /> },
    { header: words.body, cell: ({ answer }) => answer },
    { header: words.took, align: 'end', cell: ({ durationMs }) => writeDuration(durationMs) },
  ];
  if (attempts.length === 0) return 0;
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={words.showAttempts(attempts.length)}
        onClick={() => setShown(true)}
      >
        {attempts.length}
      </Button>
      {isShown && (
        <Dialog title={`${words.message} ${messageId}`} onClose={() => setShown(false)}>
          <DataTable label={words.attempts} columns={columns} rows={attempts} rowKey={({ time }) => String(time)} />
        </Dialog>
      )}
    </>
  );
}

/** What the endpoint answered, or why it didn't. */
function Answer({ of: attempt }: { of: Attempt | undefined }) {
  if (attempt === undefined) return null;
  const { status, fault } = attempt;
  return (
    <span className={fault === null ? undefined : styles.fault}>
      {status ?? words.noAnswer}
      {fault !== null && ` · ${language === 'zh' ? translateFault(fault, status) : fault}`}
    </span>
  );
}

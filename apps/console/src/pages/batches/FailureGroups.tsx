import type { ConsoleBatchDetail, FailureGroup } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Query, Section } from '../../kit/index.ts';
import { useCauseWords } from '../../words/causes.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import styles from './FailureGroups.module.css';
import { refreshWhile, useReadAtEnd } from './use-until-end.ts';
import { batchesWords } from './words.ts';

/** The failures of a batch, grouped by cause, with their messages. */
export function FailureGroups({ batch: { batchId, state } }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const isRunning = state !== 'completed';
  const found = useOperation('getBatchFailures', { params: { batchId } }, { refreshMs: refreshWhile(isRunning) });
  useReadAtEnd(isRunning, found);
  return (
    <Section title={words.failures}>
      <Query of={found}>
        {({ failures }) => (
          <ul className={styles.groups}>
            {failures.map((group) => (
              <li key={group.cause}>
                <Group batchId={batchId} group={group} />
              </li>
            ))}
          </ul>
        )}
      </Query>
    </Section>
  );
}

/** One cause with its messages, linked to its orders in the list below. */
function Group({ batchId, group }: { batchId: string; group: FailureGroup }) {
  const words = useWords(batchesWords);
  const causeWords = useCauseWords();
  const write = useNumberFormat();
  const { cause, orders, messages, otherOrders } = group;
  return (
    <>
      <p className={styles.cause}>
        <Link
          to="/batches/$batchId"
          params={{ batchId }}
          search={{ state: 'failed', cause }}
          resetScroll={false}
          aria-label={words.showThese(cause)}
        >
          <code>{cause}</code>
        </Link>{' '}
        · {words.ordersOf(write(orders))}
      </p>
      <ul className={styles.messages} aria-label={words.messages}>
        {messages.map((each) => (
          <li key={each.message}>
            {causeWords(cause, each.message)}
            {each.orders > 1 && <span className={styles.count}> · {words.ordersOf(write(each.orders))}</span>}
          </li>
        ))}
        {otherOrders > 0 && <li className={styles.count}>{words.otherMessages(write(otherOrders))}</li>}
      </ul>
    </>
  );
}

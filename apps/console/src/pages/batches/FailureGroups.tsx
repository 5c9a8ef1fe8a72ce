import type { ConsoleBatchDetail, FailureGroup } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Query, Section, Tree } from '../../kit/index.ts';
import { useCauseWords } from '../../words/causes.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { refreshWhile, useReadAtEnd } from './use-until-end.ts';
import { batchesWords } from './words.ts';

/** The failed orders of a batch by cause, each with its messages. */
export function FailureGroups({ batch: { batchId, state } }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const isRunning = state !== 'completed';
  const found = useOperation('getBatchFailures', { params: { batchId } }, { refreshMs: refreshWhile(isRunning) });
  useReadAtEnd(isRunning, found);
  return (
    <Section title={words.failures}>
      <Query of={found}>{({ failures }) => <Groups batchId={batchId} groups={failures} />}</Query>
    </Section>
  );
}

function Groups({ batchId, groups }: { batchId: string; groups: readonly FailureGroup[] }) {
  const words = useWords(batchesWords);
  const causeWords = useCauseWords();
  const write = useNumberFormat();
  const count = (orders: number) => (orders === 1 ? words.oneOrder : words.ordersOf(write(orders)));
  return (
    <Tree
      label={words.failures}
      nodes={groups.map(({ cause, orders, messages, otherOrders }) => ({
        key: cause,
        label: (
          <>
            <Link
              to="/batches/$batchId"
              params={{ batchId }}
              search={{ state: 'failed', cause }}
              aria-label={words.showThese(cause)}
            >
              <code>{cause}</code>
            </Link>{' '}
            · {count(orders)}
          </>
        ),
        nodes: [
          ...messages.map((each) => ({
            key: each.message,
            label: causeWords(cause, each.message),
            ...(messages.length > 1 || otherOrders > 0 ? { detail: count(each.orders) } : {}),
          })),
          ...(otherOrders > 0 ? [{ key: '', label: words.otherMessages(write(otherOrders)) }] : []),
        ],
      }))}
    />
  );
}

import type { Overview } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { type Column, Count, DataTable, Empty, Time } from '../../kit/index.ts';
import { useCauseWords } from '../../words/causes.ts';
import { useWords } from '../../words/words.ts';
import { overviewWords } from './words.ts';

type Failure = Overview['failures'][number];

/** Failures by cause, linked to the orders. */
export function FailureCauses({ failures }: Pick<Overview, 'failures'>) {
  const words = useWords(overviewWords);
  const causeWords = useCauseWords();
  const columns: Column<Failure>[] = [
    {
      header: words.cause,
      cell: ({ cause }) => {
        const meaning = causeWords(cause, null);
        return (
          <>
            <Link to="/orders" search={{ state: 'failed', cause }}>
              <code>{cause}</code>
            </Link>
            {meaning !== cause && <> {meaning}</>}
          </>
        );
      },
    },
    { header: words.orders, align: 'end', cell: ({ failed }) => <Count value={failed} /> },
    { header: words.last, isMinor: true, cell: ({ lastTime }) => <Time timeMs={lastTime} isRelative /> },
  ];
  return (
    <DataTable
      label={words.failuresTable}
      columns={columns}
      rows={failures}
      rowKey={({ cause }) => cause}
      empty={<Empty title={words.noFailures} />}
    />
  );
}

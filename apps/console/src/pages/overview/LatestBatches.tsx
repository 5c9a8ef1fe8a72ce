import { Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Empty, Query } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { BatchTable } from '../batches/BatchTable.tsx';
import { batchesWords } from '../batches/words.ts';
import { overviewWords } from './words.ts';

/** The call that reads the latest batches. */
export const LATEST_BATCHES = { query: { limit: '5' } };

/** The latest batches of all applications. */
export function LatestBatches({ refreshMs }: { refreshMs: number }) {
  const words = useWords(overviewWords);
  const ofBatches = useWords(batchesWords);
  const found = useOperation('listAllBatches', LATEST_BATCHES, { keepsPrevious: true, refreshMs });
  return (
    <Query of={found}>
      {({ batches }) => (
        <BatchTable
          label={words.latestBatchesTable}
          rows={batches}
          empty={<Empty title={ofBatches.noBatches}>{ofBatches.noBatchesAdvice}</Empty>}
          footer={<Link to="/batches">{words.allBatches}</Link>}
        />
      )}
    </Query>
  );
}

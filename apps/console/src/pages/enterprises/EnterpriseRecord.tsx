import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMayCall, useOperation } from '../../api/index.ts';
import { type Column, CopyId, DataTable, Empty, Query, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import type { EnterprisePart } from './enterprise-part.ts';
import { RecordedChange } from './RecordedChange.tsx';
import { enterprisesWords } from './words.ts';

type Entry = ConsoleData<'listEnterpriseAudit'>['entries'][number];

/** Who made a change; of an operator of the service, the record of operators knows the name. */
function Who({ entry: { actorAccount, targetGlobalId } }: { entry: Entry }) {
  const words = useWords(enterprisesWords);
  const mayCall = useMayCall();
  if (actorAccount !== null) return actorAccount;
  if (targetGlobalId === null || !mayCall('listRecord')) return words.operator;
  return (
    <Link to="/record" search={{ target: targetGlobalId }} title={words.seeOperators}>
      {words.operator}
    </Link>
  );
}

/** What was changed in the member center of an enterprise, newest first. */
export function EnterpriseRecord({ enterpriseGlobalId, cursor, onCursor }: EnterprisePart) {
  const words = useWords(enterprisesWords);
  const call = { params: { enterpriseGlobalId }, query: { cursor } };
  const found = useOperation('listEnterpriseAudit', call, { keepsPrevious: true });
  const columns = useMemo(
    (): Column<Entry>[] => [
      { id: 'time', header: words.time, cell: ({ time }) => <Time timeMs={time} isRelative /> },
      { id: 'what', header: words.what, cell: ({ action }) => words[action] },
      {
        id: 'whom',
        header: words.whom,
        cell: ({ targetAccount, targetGlobalId }) => targetAccount ?? targetGlobalId ?? '–',
      },
      { id: 'detail', header: words.detail, cell: ({ detail }) => <RecordedChange detail={detail} />, width: '14rem' },
      { id: 'who', header: words.who, cell: (entry) => <Who entry={entry} /> },
      { id: 'request', header: words.requestId, cell: ({ requestId }) => <CopyId id={requestId} />, isMinor: true },
    ],
    [words],
  );
  return (
    <Query of={found}>
      {({ entries, nextCursor }) => (
        <DataTable
          label={words.record}
          columns={columns}
          rows={entries}
          rowKey={({ id }) => id}
          isStale={found.isPlaceholderData}
          empty={<Empty title={words.noRecord}>{words.noRecordAdvice}</Empty>}
          paging={{ cursor, nextCursor, onCursor }}
        />
      )}
    </Query>
  );
}

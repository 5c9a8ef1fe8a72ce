import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useMayCall, useOperation } from '../../api/index.ts';
import { type Column, CopyId, DataTable, Empty, Query, Time, useAddress } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { AuditedChange } from './AuditedChange.tsx';
import { enterprisesWords } from './words.ts';

type Entry = ConsoleData<'listEnterpriseAuditLog'>['entries'][number];

/** The author of a change. An operator's name is only in the operators' audit log. */
function Who({ entry: { actorAccount, targetGlobalId } }: { entry: Entry }) {
  const words = useWords(enterprisesWords);
  const mayCall = useMayCall();
  if (actorAccount !== null) return actorAccount;
  if (targetGlobalId === null || !mayCall('listAuditLog')) return words.operator;
  return (
    <Link to="/audit-log" search={{ target: targetGlobalId }} title={words.seeOperators}>
      {words.operator}
    </Link>
  );
}

/** The audit log of an enterprise, newest first. */
export function EnterpriseAuditLog({ enterpriseGlobalId }: { enterpriseGlobalId: string }) {
  const words = useWords(enterprisesWords);
  const [{ cursor }] = useAddress();
  const call = { params: { enterpriseGlobalId }, query: { cursor } };
  const found = useOperation('listEnterpriseAuditLog', call, { keepsPrevious: true });
  const columns: Column<Entry>[] = [
    { header: words.time, cell: ({ time }) => <Time timeMs={time} isRelative /> },
    { header: words.what, width: '8rem', cell: ({ action }) => words[action] },
    { header: words.target, cell: ({ targetAccount, targetGlobalId }) => targetAccount ?? targetGlobalId ?? '–' },
    { header: words.detail, cell: ({ detail }) => <AuditedChange detail={detail} />, width: '14rem' },
    { header: words.changedBy, cell: (entry) => <Who entry={entry} /> },
    { header: words.requestId, cell: ({ requestId }) => <CopyId id={requestId} />, isMinor: true },
  ];
  return (
    <Query of={found}>
      {({ entries, nextCursor }) => (
        <DataTable
          label={words.auditLog}
          columns={columns}
          rows={entries}
          rowKey={({ id }) => id}
          isStale={found.isPlaceholderData}
          empty={<Empty title={words.noChanges}>{words.noChangesAdvice}</Empty>}
          nextCursor={nextCursor}
        />
      )}
    </Query>
  );
}

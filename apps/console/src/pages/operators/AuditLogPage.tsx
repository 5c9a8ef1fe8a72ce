import type { OperatorAuditEntry } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMayCall, useOperation } from '../../api/index.ts';
import { type Column, CopyId, DataTable, Filters, NoRows, optionsOf, Page, Query, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ACTIONS, actionWords } from './action-words.ts';
import { auditWords } from './audit-words.ts';
import { Changed } from './Changed.tsx';
import { Target } from './Target.tsx';

const route = getRouteApi('/audit-log');

/** Actions of someone who was not logged in. */
const LOG_IN_REFUSED = new Set(['operator.log_in_failed', 'operator.locked_out']);

/** The audit log of operators and of the command, newest first. */
export default function AuditLogPage() {
  const words = useWords(auditWords);
  const actions: Record<string, string> = useWords(actionWords);
  const { operator, action, target, cursor } = route.useSearch();
  const filters = { operator, action, target };
  const log = useOperation('listAuditLog', { query: { ...filters, cursor } }, { keepsPrevious: true });
  const columns = useColumns();
  return (
    <Page title={words.auditLog} lead={words.intro}>
      <Filters
        fields={[
          { name: 'operator', label: words.operator, kind: 'text' },
          {
            name: 'action',
            label: words.action,
            kind: 'select',
            options: optionsOf(ACTIONS, (action) => actions[action] ?? action),
          },
          { name: 'target', label: words.target, kind: 'text', placeholder: words.targetExample },
        ]}
      />
      <Query of={log}>
        {({ entries, nextCursor }) => (
          <DataTable
            label={words.auditLog}
            columns={columns}
            rows={entries}
            rowKey={({ entryId }) => entryId}
            isStale={log.isPlaceholderData}
            empty={<NoRows title={words.none}>{words.noneHelp}</NoRows>}
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Page>
  );
}

function useColumns(): readonly Column<OperatorAuditEntry>[] {
  const words = useWords(auditWords);
  const actions: Record<string, string> = useWords(actionWords);
  const mayCall = useMayCall();
  const isAdmin = mayCall('listOperators');
  return [
    { header: words.time, cell: ({ time }) => <Time timeMs={time} /> },
    {
      header: words.operator,
      width: '8rem',
      cell: ({ operator, actor, action }) =>
        operator === null ? (
          (LOG_IN_REFUSED.has(action) ? words.notLoggedIn : words.commandOf)(actor ?? '')
        ) : isAdmin ? (
          <Link to="/operators/$name" params={{ name: operator }}>
            {operator}
          </Link>
        ) : (
          operator
        ),
    },
    {
      header: words.action,
      width: '9rem',
      cell: ({ action }) => <span title={action}>{actions[action] ?? action}</span>,
    },
    { header: words.target, width: '11rem', cell: (entry) => <Target of={entry} /> },
    { header: words.changed, width: '16rem', cell: (entry) => <Changed of={entry} /> },
    {
      header: words.requestId,
      isMinor: true,
      cell: ({ requestId }) => <CopyId id={requestId} what={words.requestId} />,
    },
  ];
}

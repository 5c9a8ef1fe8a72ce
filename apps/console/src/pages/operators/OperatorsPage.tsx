import type { ConsoleOperator } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMayCall, useMe, useOperation } from '../../api/index.ts';
import { type Column, Count, DataTable, Page, Query, StateBadge, Time } from '../../kit/index.ts';
import { useCodeNames } from '../../words/code-names.ts';
import { useWords } from '../../words/words.ts';
import { NewOperator } from './NewOperator.tsx';
import { operatorsWords } from './words.ts';

/** Who may log in to the console, and as what. */
export function OperatorsPage() {
  const words = useWords(operatorsWords);
  const operators = useOperation('listOperators', {});
  const columns = useColumns();
  const actions = useMayCall()('createOperator') ? <NewOperator /> : undefined;
  return (
    <Page title={words.title} lead={words.intro} actions={actions}>
      <Query of={operators}>
        {({ operators: rows }) => (
          <DataTable label={words.title} columns={columns} rows={rows} rowKey={({ operatorId }) => operatorId} />
        )}
      </Query>
    </Page>
  );
}

function useColumns(): readonly Column<ConsoleOperator>[] {
  const words = useWords(operatorsWords);
  const me = useMe();
  const codeName = useCodeNames();
  return useMemo(
    () => [
      {
        id: 'name',
        header: words.name,
        cell: ({ name, operatorId }) => (
          <>
            <Link to="/operators/$name" params={{ name }}>
              {name}
            </Link>
            {operatorId === me.operatorId && ` (${words.you})`}
          </>
        ),
      },
      { id: 'role', header: words.role, cell: ({ role }) => codeName(role) },
      {
        id: 'state',
        header: words.state,
        cell: ({ disabledTime }) => <StateBadge state={disabledTime === null ? 'enabled' : 'disabled'} />,
      },
      {
        id: 'sessions',
        header: words.sessions,
        align: 'end',
        isMinor: true,
        cell: ({ sessions }) => <Count value={sessions} />,
      },
      {
        id: 'lastUsed',
        header: words.lastUsed,
        isMinor: true,
        cell: ({ lastUsedTime }) =>
          lastUsedTime === null ? words.notLoggedIn : <Time timeMs={lastUsedTime} isRelative />,
      },
      {
        id: 'created',
        header: words.createdTime,
        isMinor: true,
        cell: ({ createdTime }) => <Time timeMs={createdTime} />,
      },
    ],
    [words, codeName, me.operatorId],
  );
}

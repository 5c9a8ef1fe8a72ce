import type { ConsoleOperator } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useMayCall, useMe, useOperation } from '../../api/index.ts';
import { type Column, Count, DataTable, Page, Query, StateBadge, Time } from '../../kit/index.ts';
import { useCodeNames } from '../../words/code-names.ts';
import { useWords } from '../../words/words.ts';
import { NewOperator } from './NewOperator.tsx';
import { operatorsWords } from './words.ts';

/** All operators with their roles. */
export default function OperatorsPage() {
  const words = useWords(operatorsWords);
  const operators = useOperation('listOperators', {});
  const columns = useColumns();
  const actions = useMayCall()('createOperator') ? <NewOperator /> : undefined;
  return (
    <Page title={words.operators} lead={words.intro} actions={actions}>
      <Query of={operators}>
        {({ operators: rows }) => (
          <DataTable label={words.operators} columns={columns} rows={rows} rowKey={({ operatorId }) => operatorId} />
        )}
      </Query>
    </Page>
  );
}

function useColumns(): readonly Column<ConsoleOperator>[] {
  const words = useWords(operatorsWords);
  const me = useMe();
  const codeName = useCodeNames();
  return [
    {
      header: words.name,
      cell: ({ name, operatorId }) => (
        <>
          <Link to="/operators/$name" params={{ name }}>
            {name}
          </Link>
          {operatorId === me.operatorId && `${words.gap}${words.aside(words.you)}`}
        </>
      ),
    },
    { header: words.role, cell: ({ role }) => codeName(role) },
    {
      header: words.state,
      cell: ({ disabledTime }) => <StateBadge state={disabledTime === null ? 'enabled' : 'disabled'} />,
    },
    { header: words.sessions, align: 'end', isMinor: true, cell: ({ sessions }) => <Count value={sessions} /> },
    {
      header: words.lastUsed,
      isMinor: true,
      cell: ({ lastUsedTime }) =>
        lastUsedTime === null ? words.notLoggedIn : <Time timeMs={lastUsedTime} isRelative />,
    },
    { header: words.createdTime, isMinor: true, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
  ];
}

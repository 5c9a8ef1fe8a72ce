import type { ConsoleOperator } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Count, Empty, type Field, Fields, Page, Query, StateBadge, Time } from '../../kit/index.ts';
import { useCodeNames } from '../../words/code-names.ts';
import { useWords } from '../../words/words.ts';
import { OperatorActions } from './OperatorActions.tsx';
import { operatorsWords } from './words.ts';

const route = getRouteApi('/operators/$name');

/** One operator: role, sessions and actions. */
export default function OperatorPage() {
  const words = useWords(operatorsWords);
  const { name } = route.useParams();
  const operators = useOperation('listOperators', {});
  const operator = operators.data?.operators.find((each) => each.name === name);
  return (
    <Page
      title={name}
      beside={operator && <StateBadge state={operator.disabledTime === null ? 'enabled' : 'disabled'} />}
      crumbs={[{ text: words.operators, to: '/operators' }]}
      actions={operator && <OperatorActions operator={operator} />}
    >
      <Query of={operators}>
        {() =>
          operator === undefined ? (
            <Empty title={words.missing(name)}>{words.missingHelp}</Empty>
          ) : (
            <Known operator={operator} />
          )
        }
      </Query>
    </Page>
  );
}

function Known({ operator }: { operator: ConsoleOperator }) {
  const codeName = useCodeNames();
  const words = useWords(operatorsWords);
  const { name, role, sessions, lastUsedTime, createdTime, disabledTime } = operator;
  const fields: Field[] = [
    { label: words.role, value: `${codeName(role)}${words.colon}${words[`${role}Says`]}` },
    { label: words.sessions, value: <Count value={sessions} /> },
    {
      label: words.lastUsed,
      value: lastUsedTime === null ? words.notLoggedIn : <Time timeMs={lastUsedTime} isRelative withUtc />,
    },
    { label: words.createdTime, value: <Time timeMs={createdTime} withUtc /> },
    {
      label: words.disabledSince,
      value: disabledTime === null ? undefined : <Time timeMs={disabledTime} isRelative withUtc />,
    },
    {
      label: words.auditLog,
      value: (
        <>
          <Link to="/audit-log" search={{ operator: name }}>
            {words.changesBy}
          </Link>
          {' · '}
          <Link to="/audit-log" search={{ target: name }}>
            {words.changesTo}
          </Link>
        </>
      ),
    },
  ];
  return <Fields fields={fields} />;
}

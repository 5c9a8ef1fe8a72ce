import type { ConsoleOperator, NewOperatorLogin, OperatorRole } from '@lockstep/contract/console';
import { OPERATOR_NAME, OPERATOR_ROLES } from '@lockstep/contract/words';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe, useOperation } from '../../api/operations.ts';
import { ConfirmButton, OneTimeSecret, wordsOf } from '../../kit/dialogs.tsx';
import { ExportButton } from '../../kit/export.tsx';
import { Choice, optionsOf, TextField } from '../../kit/inputs.tsx';
import { Page } from '../../kit/page.tsx';
import { Empty, StateBadge } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { Count, Fields, Time } from '../../kit/values.tsx';
import { HAS_PASSWORD_LOG_IN, LOGIN_PROVIDER } from '../../page-head.ts';
import { codeName } from '../../words/formats.ts';
import { ChannelsField } from '../applications/ApplicationForms.tsx';
import { findFault, readChoice, writeChoice } from '../applications/channel-choice.ts';
import { pageOf } from '../links.tsx';
import { operatorsWords as words } from './words.ts';

/** All operators with their roles. */
export function OperatorsPage() {
  const operators = useOperation('listOperators', {});
  const me = useMe();
  const columns: Column<ConsoleOperator>[] = [
    {
      header: words.name,
      cell: ({ name, operatorId }) => (
        <>
          <Link {...pageOf.operator(name)}>{name}</Link>
          {operatorId === me.operatorId && `${words.gap}${words.aside(words.you)}`}
        </>
      ),
    },
    { header: words.role, cell: ({ role }) => codeName(role) },
    { header: words.channels, isMinor: true, cell: channelsOf },
    { header: words.state, cell: (operator) => <StateBadge state={stateOf(operator)} /> },
    {
      header: words.logsIn,
      isMinor: true,
      cell: ({ byProvider }) => (byProvider ? words.byProvider : words.byPassword),
    },
    { header: words.sessions, align: 'end', isMinor: true, cell: ({ sessions }) => <Count value={sessions} /> },
    {
      header: words.lastUsed,
      isMinor: true,
      cell: ({ lastUsedTime: timeMs }) => (timeMs === null ? words.notLoggedIn : <Time timeMs={timeMs} />),
    },
    { header: words.createdTime, isMinor: true, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
  ];
  return (
    <Page
      title={words.operators}
      lead={words.intro}
      actions={
        <>
          <ExportButton operation="listOperators" call={{}} />
          {HAS_PASSWORD_LOG_IN && <NewOperator />}
        </>
      }
      of={operators}
    >
      {({ operators: rows }) => (
        <DataTable label={words.operators} columns={columns} rows={rows} rowKey={({ operatorId }) => operatorId} />
      )}
    </Page>
  );
}

const stateOf = ({ disabledTime }: ConsoleOperator) => (disabledTime === null ? 'enabled' : 'disabled');

/** The channels that an operator is limited to. Admins see all. */
const channelsOf = ({ role, channels }: ConsoleOperator) =>
  role === 'admin' || channels === null ? words.allChannels : channels.join(words.comma);

/** One operator: role, sessions and actions. */
export function OperatorPage() {
  const { name } = useParams({ from: '/operators/$name' });
  const operators = useOperation('listOperators', {});
  const operator = operators.data?.operators.find((each) => each.name === name);
  return (
    <Page
      title={name}
      beside={operator && <StateBadge state={stateOf(operator)} />}
      crumbs={[{ text: words.operators, to: '/operators' }]}
      actions={operator && <OperatorActions operator={operator} />}
      of={operators}
    >
      {() =>
        operator === undefined ? (
          <Empty title={words.missing(name)}>{words.missingHelp}</Empty>
        ) : (
          <Known operator={operator} />
        )
      }
    </Page>
  );
}

function Known({ operator }: { operator: ConsoleOperator }) {
  const { name, role, byProvider, sessions, lastUsedTime, createdTime, disabledTime } = operator;
  const fields = {
    [words.role]: `${codeName(role)}${words.colon}${words[`${role}Says`]}`,
    [words.channels]: channelsOf(operator),
    [words.logsIn]: byProvider ? words.byProvider : words.byPassword,
    [words.sessions]: <Count value={sessions} />,
    [words.lastUsed]: lastUsedTime === null ? words.notLoggedIn : <Time timeMs={lastUsedTime} isExact />,
    [words.createdTime]: <Time timeMs={createdTime} isExact />,
    [words.disabledSince]: disabledTime ? <Time timeMs={disabledTime} isExact /> : undefined,
    [words.auditLog]: (
      <>
        <Link {...pageOf.auditLog({ operator: name })}>{words.changesBy}</Link>
        {' · '}
        <Link {...pageOf.auditLog({ target: name })}>{words.changesTo}</Link>
      </>
    ),
  };
  return <Fields fields={fields} />;
}

/** The actions of an admin on an operator. For the own password there is a page that keeps the session. */
function OperatorActions({ operator }: { operator: ConsoleOperator }) {
  const { operatorId } = useMe();
  const { name, byProvider } = operator;
  const isMe = operator.operatorId === operatorId;
  const call = { params: { name } };
  return (
    <>
      {!byProvider && <ChangeRole key={operator.role} operator={operator} />}
      {operator.role !== 'admin' && <ChangeChannels key={operator.channels?.join()} operator={operator} />}
      {!isMe && LOGIN_PROVIDER !== '' && (
        <ConfirmButton operation="linkOperator" call={call} {...wordsOf(words, 'link', name)} />
      )}
      {!isMe && !byProvider && HAS_PASSWORD_LOG_IN && (
        <ConfirmButton
          operation="resetOperatorPassword"
          call={call}
          {...wordsOf(words, 'resetPassword', name)}
          result={(login, onClose) => (
            <NewPassword title={words.resetPasswordDone(name)} login={login} onClose={onClose} />
          )}
        />
      )}
      {operator.disabledTime === null ? (
        <ConfirmButton operation="disableOperator" call={call} isDangerous {...wordsOf(words, 'disable', name)} />
      ) : (
        <ConfirmButton operation="enableOperator" call={call} {...wordsOf(words, 'enable', name)} />
      )}
    </>
  );
}

function ChangeRole({ operator: { name, role } }: { operator: ConsoleOperator }) {
  const [chosen, setChosen] = useState(role);
  return (
    <ConfirmButton
      operation="setOperatorRole"
      call={{ params: { name }, body: { role: chosen } }}
      {...wordsOf(words, 'changeRole', name)}
      confirmLabel={words.save}
      canConfirm={chosen !== role}
    >
      <p>{words.changeRoleSays}</p>
      <RoleField value={chosen} onChange={setChosen} />
    </ConfirmButton>
  );
}

/** Limits an operator to channels. */
function ChangeChannels({ operator: { name, channels } }: { operator: ConsoleOperator }) {
  const [choice, setChoice] = useState(writeChoice(channels));
  return (
    <ConfirmButton
      operation="setOperatorChannels"
      call={{ params: { name }, body: { channels: readChoice(choice) } }}
      {...wordsOf(words, 'changeChannels', name)}
      confirmLabel={words.save}
      canConfirm={findFault(choice) === undefined}
    >
      <p>{words.changeChannelsSays}</p>
      <ChannelsField value={choice} onChange={setChoice} hint={words.channelsHint} />
    </ConfirmButton>
  );
}

/** Creates an operator and shows the password once. */
function NewOperator() {
  const [name, setName] = useState('');
  const [role, setRole] = useState<OperatorRole>('viewer');
  const [choice, setChoice] = useState(writeChoice(null));
  const channels = role === 'admin' ? null : readChoice(choice);
  const isValid = OPERATOR_NAME.test(name);
  return (
    <ConfirmButton
      operation="createOperator"
      call={{ body: { name, role, channels } }}
      label={words.newTitle}
      title={words.newTitle}
      confirmLabel={words.create}
      canConfirm={isValid && (role === 'admin' || findFault(choice) === undefined)}
      done={words.created(name)}
      onDone={() => setName('')}
      result={(login, onClose) => <NewPassword title={words.created(login.name)} login={login} onClose={onClose} />}
    >
      <TextField
        label={words.name}
        description={words.nameHint}
        value={name}
        onChange={(text) => setName(text.trim())}
        error={name === '' || isValid ? undefined : words.nameInvalid}
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <RoleField value={role} onChange={setRole} />
      {role !== 'admin' && <ChannelsField value={choice} onChange={setChoice} hint={words.channelsHint} />}
    </ConfirmButton>
  );
}

/** Shows an operator's new password once. */
function NewPassword({ title, login, onClose }: { title: string; login: NewOperatorLogin; onClose: () => void }) {
  const secrets = { [words.name]: login.name, [words.password]: login.password };
  return (
    <OneTimeSecret title={title} secrets={secrets} onClose={onClose}>
      <p>{words.passwordOnce}</p>
    </OneTimeSecret>
  );
}

/** Selects a role and describes it. */
function RoleField({ value, onChange }: { value: OperatorRole; onChange: (role: OperatorRole) => void }) {
  return (
    <Choice
      label={words.role}
      description={words[`${value}Says`]}
      value={value}
      options={optionsOf(OPERATOR_ROLES, codeName)}
      onChange={onChange}
    />
  );
}

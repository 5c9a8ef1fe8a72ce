import type { ConsoleOperator, NewOperatorLogin } from '@lockstep/contract/console';
import { useState } from 'react';
import { useChange, useMe } from '../../api/index.ts';
import { announce, ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { NewPassword } from './NewPassword.tsx';
import { RoleField } from './RoleField.tsx';
import { operatorsWords } from './words.ts';

/** What an admin may change of an operator. The own password has a page of its own, which keeps the session. */
export function OperatorActions({ operator }: { operator: ConsoleOperator }) {
  const { operatorId } = useMe();
  return (
    <>
      <ChangeRole key={operator.role} operator={operator} />
      {operator.operatorId !== operatorId && <ResetPassword name={operator.name} />}
      <SwitchOperator operator={operator} />
    </>
  );
}

function ChangeRole({ operator: { name, role } }: { operator: ConsoleOperator }) {
  const words = useWords(operatorsWords);
  const setRole = useChange('setOperatorRole');
  const [chosen, setChosen] = useState(role);
  return (
    <ConfirmButton
      label={words.changeRole}
      title={words.changeRoleTitle(name)}
      confirmLabel={words.save}
      canConfirm={chosen !== role}
      onConfirm={async () => {
        await setRole.mutateAsync({ params: { name }, body: { role: chosen } });
        announce('good', words.roleChanged(name));
      }}
    >
      <p>{words.changeRoleSays}</p>
      <RoleField value={chosen} onChange={setChosen} />
    </ConfirmButton>
  );
}

function ResetPassword({ name }: { name: string }) {
  const words = useWords(operatorsWords);
  const reset = useChange('resetOperatorPassword');
  const [login, setLogin] = useState<NewOperatorLogin>();
  return (
    <>
      <ConfirmButton
        label={words.resetPassword}
        title={words.resetTitle(name)}
        onConfirm={async () => {
          setLogin(await reset.mutateAsync({ params: { name } }));
          announce('good', words.resetNow(name));
        }}
      >
        {words.resetSays(name)}
      </ConfirmButton>
      {login !== undefined && (
        <NewPassword title={words.resetNow(name)} login={login} onClose={() => setLogin(undefined)} />
      )}
    </>
  );
}

function SwitchOperator({ operator: { name, disabledTime } }: { operator: ConsoleOperator }) {
  const words = useWords(operatorsWords);
  const disable = useChange('disableOperator');
  const enable = useChange('enableOperator');
  const params = { name };
  return disabledTime === null ? (
    <ConfirmButton
      label={words.disable}
      title={words.disableTitle(name)}
      isDangerous
      onConfirm={async () => {
        await disable.mutateAsync({ params });
        announce('good', words.disabledNow(name));
      }}
    >
      {words.disableSays(name)}
    </ConfirmButton>
  ) : (
    <ConfirmButton
      label={words.enable}
      title={words.enableTitle(name)}
      onConfirm={async () => {
        await enable.mutateAsync({ params });
        announce('good', words.enabledNow(name));
      }}
    >
      {words.enableSays(name)}
    </ConfirmButton>
  );
}

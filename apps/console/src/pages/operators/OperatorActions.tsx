import type { ConsoleOperator } from '@lockstep/contract/console';
import { useState } from 'react';
import { useMe } from '../../api/index.ts';
import { ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { NewPassword } from './NewPassword.tsx';
import { RoleField } from './RoleField.tsx';
import { operatorsWords } from './words.ts';

/** The actions of an admin on an operator. For the own password there is a page that keeps the session. */
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
  const [chosen, setChosen] = useState(role);
  return (
    <ConfirmButton
      operation="setOperatorRole"
      call={{ params: { name }, body: { role: chosen } }}
      label={words.changeRole}
      title={words.changeRoleTitle(name)}
      confirmLabel={words.save}
      canConfirm={chosen !== role}
      done={words.roleChanged(name)}
    >
      <p>{words.changeRoleSays}</p>
      <RoleField value={chosen} onChange={setChosen} />
    </ConfirmButton>
  );
}

function ResetPassword({ name }: { name: string }) {
  const words = useWords(operatorsWords);
  return (
    <ConfirmButton
      operation="resetOperatorPassword"
      call={{ params: { name } }}
      label={words.resetPassword}
      title={words.resetTitle(name)}
      done={words.resetNow(name)}
      result={(login, onClose) => <NewPassword title={words.resetNow(name)} login={login} onClose={onClose} />}
    >
      {words.resetSays(name)}
    </ConfirmButton>
  );
}

function SwitchOperator({ operator: { name, disabledTime } }: { operator: ConsoleOperator }) {
  const words = useWords(operatorsWords);
  const params = { name };
  return disabledTime === null ? (
    <ConfirmButton
      operation="disableOperator"
      call={{ params }}
      label={words.disable}
      title={words.disableTitle(name)}
      isDangerous
      done={words.disabledNow(name)}
    >
      {words.disableSays(name)}
    </ConfirmButton>
  ) : (
    <ConfirmButton
      operation="enableOperator"
      call={{ params }}
      label={words.enable}
      title={words.enableTitle(name)}
      done={words.enabledNow(name)}
    >
      {words.enableSays(name)}
    </ConfirmButton>
  );
}

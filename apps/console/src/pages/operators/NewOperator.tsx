import type { NewOperatorLogin, OperatorRole } from '@lockstep/contract/console';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../../api/index.ts';
import { announce, ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { NewPassword } from './NewPassword.tsx';
import { RoleField } from './RoleField.tsx';
import { operatorsWords } from './words.ts';

/** The form of names in the contract, to say before the call what is wrong. */
const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;

/** Makes an operator, and shows the password once. */
export function NewOperator() {
  const words = useWords(operatorsWords);
  const create = useChange('createOperator');
  const [name, setName] = useState('');
  const [role, setRole] = useState<OperatorRole>('viewer');
  const [login, setLogin] = useState<NewOperatorLogin>();
  const isValid = NAME.test(name);
  return (
    <>
      <ConfirmButton
        label={words.newTitle}
        title={words.newTitle}
        confirmLabel={words.create}
        canConfirm={isValid}
        onConfirm={async () => {
          setLogin(await create.mutateAsync({ body: { name, role } }));
          announce('good', words.created(name));
          setName('');
        }}
      >
        <TextInput
          label={words.name}
          description={words.nameHint}
          value={name}
          onChange={(event) => setName(event.currentTarget.value.trim())}
          error={name === '' || isValid ? undefined : words.nameInvalid}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <RoleField value={role} onChange={setRole} />
      </ConfirmButton>
      {login !== undefined && (
        <NewPassword title={words.created(login.name)} login={login} onClose={() => setLogin(undefined)} />
      )}
    </>
  );
}

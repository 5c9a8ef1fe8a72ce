import type { OperatorRole } from '@lockstep/contract/console';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { NewPassword } from './NewPassword.tsx';
import { RoleField } from './RoleField.tsx';
import { operatorsWords } from './words.ts';

/** The contract's pattern for names, to validate before the call. */
const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;

/** Creates an operator and shows the password once. */
export function NewOperator() {
  const words = useWords(operatorsWords);
  const [name, setName] = useState('');
  const [role, setRole] = useState<OperatorRole>('viewer');
  const isValid = NAME.test(name);
  return (
    <ConfirmButton
      operation="createOperator"
      call={{ body: { name, role } }}
      label={words.newTitle}
      title={words.newTitle}
      confirmLabel={words.create}
      canConfirm={isValid}
      done={words.created(name)}
      onDone={() => setName('')}
      result={(login, onClose) => <NewPassword title={words.created(login.name)} login={login} onClose={onClose} />}
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
  );
}

import type { OperatorRole } from '@lockstep/contract/console';
import { NativeSelect } from '@mantine/core';
import { useCodeNames } from '../../words/code-names.ts';
import { useWords } from '../../words/words.ts';
import { operatorsWords } from './words.ts';

const ROLES = ['viewer', 'support', 'admin'] as const satisfies OperatorRole[];

/** Selects a role and describes it. */
export function RoleField({ value, onChange }: { value: OperatorRole; onChange: (role: OperatorRole) => void }) {
  const words = useWords(operatorsWords);
  const codeName = useCodeNames();
  return (
    <NativeSelect
      label={words.role}
      description={words[`${value}Says`]}
      value={value}
      data={ROLES.map((role) => ({ value: role, label: codeName(role) }))}
      onChange={(event) => onChange(event.currentTarget.value as OperatorRole)}
    />
  );
}

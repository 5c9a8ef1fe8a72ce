import { operations } from 'virtual:operations';
import type { ConsoleOperationId } from '@lockstep/contract/console';
import type { ReactNode } from 'react';
import { useMayCall, useMe } from '../../api/index.ts';
import { useCodeNames } from '../../words/code-names.ts';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { Notice } from '../signs/Notice.tsx';

/** Shows a form if the operator's role may call its operation; otherwise says which role may. */
export function RoleGate({ operation, children }: { operation: ConsoleOperationId; children: ReactNode }) {
  const words = useWords(kitWords);
  const codeName = useCodeNames();
  const { role } = useMe();
  if (useMayCall()(operation)) return children;
  return (
    <div role="alert">
      <Notice tone="bad" title={words.forbidden}>
        <p>{words.roleNeeded(codeName(operations[operation].role), codeName(role))}</p>
        <p>{words.forbiddenAdvice}</p>
      </Notice>
    </div>
  );
}

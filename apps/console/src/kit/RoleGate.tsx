import type { ConsoleOperationId } from '@lockstep/contract/console';
import type { ReactNode } from 'react';
import { useMayCall } from '../api/index.ts';
import { useWords } from '../words/words.ts';
import { Notice } from './Notice.tsx';
import { kitWords } from './words.ts';

/** Shows a form to those whose role may send it, by the operation that it calls; the others are told who may. */
export function RoleGate({ operation, children }: { operation: ConsoleOperationId; children: ReactNode }) {
  const words = useWords(kitWords);
  if (useMayCall()(operation)) return children;
  return (
    <div role="alert">
      <Notice tone="bad" title={words.forbidden}>
        {words.forbiddenAdvice}
      </Notice>
    </div>
  );
}

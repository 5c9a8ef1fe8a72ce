import { Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CallFailure } from '../../api/index.ts';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { Failure } from './Failure.tsx';

/**
 * Shows what was read; before that, that it is being read; and why it could not be. What is known stays on a failure.
 */
export function Query<Data>({
  of,
  children,
}: {
  of: UseQueryResult<Data, CallFailure>;
  children: (data: Data) => ReactNode;
}) {
  const words = useWords(kitWords);
  const { data, error, refetch } = of;
  return (
    <>
      {error !== null && <Failure failure={error} onRetry={() => void refetch()} />}
      {data !== undefined && children(data)}
      {data === undefined && error === null && (
        <output>
          <Loader size="sm" aria-hidden="true" /> {words.loading}
        </output>
      )}
    </>
  );
}

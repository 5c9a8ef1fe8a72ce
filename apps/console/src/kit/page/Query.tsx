import { Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CallFailure } from '../../api/index.ts';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { Failure } from './Failure.tsx';

/** Renders loaded data, a loading state, or a failure. After a failed reload, the previous data stays. */
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

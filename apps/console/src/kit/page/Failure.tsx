import { Button } from '@mantine/core';
import type { CallFailure } from '../../api/index.ts';
import { useCauseWords, useFaultWords } from '../../words/causes.ts';
import { fieldFaultsInChinese } from '../../words/causes-zh.ts';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import styles from '../signs/Notice.module.css';
import { CopyId } from '../values/CopyId.tsx';

/** Shows what failed, why, what to do, and the request ID to search the log for. */
export function Failure({ failure, onRetry }: { failure: CallFailure; onRetry?: () => void }) {
  const words = useWords(kitWords);
  const causeWords = useCauseWords();
  const fieldFaultWords = useFaultWords(fieldFaultsInChinese);
  const { title, advice } = useExplanation(failure);
  const { cause, requestId, status, message, faults } = failure;
  return (
    <div className={styles.notice} data-tone="bad" role="alert">
      <p className={styles.title}>{title}</p>
      {status > 0 && <p className={styles.advice}>{causeWords(cause, message)}</p>}
      {faults.length > 1 && (
        <ul className={styles.faults}>
          {faults.map(({ path, message: what }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <li key={index}>
              <code>{path}</code> {fieldFaultWords(what)}
            </li>
          ))}
        </ul>
      )}
      <p className={styles.advice}>{advice}</p>
      {(requestId !== null || cause !== null) && status > 0 && (
        <p className={styles.facts}>
          {cause !== null && (
            <>
              {words.cause}
              {words.colon}
              <code>{cause}</code>{' '}
            </>
          )}
          {requestId !== null && (
            <>
              {words.requestId}
              {words.colon}
              <CopyId id={requestId} what={words.requestId} />
            </>
          )}
        </p>
      )}
      {onRetry !== undefined && cause !== 'role_missing' && (
        <div className={styles.actions}>
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            {words.tryAgain}
          </Button>
        </div>
      )}
    </div>
  );
}

function useExplanation({ status, cause }: CallFailure): { title: string; advice: string } {
  const words = useWords(kitWords);
  if (status === 0) return { title: words.unreachable, advice: words.unreachableAdvice };
  if (cause === 'role_missing') return { title: words.forbidden, advice: words.forbiddenAdvice };
  if (status === 404) return { title: words.missing, advice: words.missingAdvice };
  if (status >= 500) return { title: words.faulty, advice: words.faultyAdvice };
  return { title: words.failed, advice: words.refusedAdvice };
}

import { Button } from '@mantine/core';
import { useState } from 'react';
import { useNumberFormat } from '../../words/formats.ts';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { useAddress } from '../address/address.ts';
import styles from './Pager.module.css';

/**
 * The way from page to page of a list: its cursor stands in the address, so a page can be sent to a colleague. `shown`:
 * how many rows this page shows.
 */
export function Pager({ nextCursor, shown }: { nextCursor: string | null; shown: number }) {
  const [{ cursor }, change] = useAddress();
  const onCursor = (next: string | undefined) => change({ cursor: next });
  const words = useWords(kitWords);
  const write = useNumberFormat();
  // The cursors of the pages from the first to the furthest one that was opened here: no cursor leads back.
  const [visited, setVisited] = useState<readonly (string | undefined)[]>([undefined]);
  const place = visited.indexOf(cursor);
  const goOn = (next: string) => {
    setVisited(place === -1 ? [cursor, next] : [...visited.slice(0, place + 1), next]);
    onCursor(next);
  };
  return (
    <nav className={styles.pager} aria-label={words.pages}>
      <span className={styles.shown}>
        {words.rowsShown(write(shown))}
        {nextCursor === null && shown > 0 && ` · ${words.lastPage}`}
      </span>
      {cursor !== undefined && (
        <>
          <Button variant="default" size="compact-md" onClick={() => onCursor(undefined)}>
            {words.firstPage}
          </Button>
          {place > 0 && (
            <Button variant="default" size="compact-md" onClick={() => onCursor(visited[place - 1])}>
              {words.previousPage}
            </Button>
          )}
        </>
      )}
      {nextCursor !== null && (
        <Button variant="default" size="compact-md" onClick={() => goOn(nextCursor)}>
          {words.nextPage}
        </Button>
      )}
    </nav>
  );
}

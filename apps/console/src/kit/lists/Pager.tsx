import { Button } from '@mantine/core';
import { useState } from 'react';
import { useNumberFormat } from '../../words/formats.ts';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { useAddress } from '../address/address.ts';
import styles from './Pager.module.css';

/**
 * Links between the pages of a list. The cursor is part of the address, so that a page can be shared. `shown`: the
 * number of rows on this page.
 */
export function Pager({ nextCursor, shown }: { nextCursor: string | null; shown: number }) {
  const [{ cursor }, change] = useAddress();
  const onCursor = (next: string | undefined) => change({ cursor: next });
  const words = useWords(kitWords);
  const write = useNumberFormat();
  // The cursors of the pages visited so far. Cursors only lead forward, so going back needs them.
  const [visited, setVisited] = useState<readonly (string | undefined)[]>([undefined]);
  const place = visited.indexOf(cursor);
  const showNext = (next: string) => {
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
        <Button variant="default" size="compact-md" onClick={() => showNext(nextCursor)}>
          {words.nextPage}
        </Button>
      )}
    </nav>
  );
}

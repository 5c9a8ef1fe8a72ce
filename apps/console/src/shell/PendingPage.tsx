import { Loader } from '@mantine/core';
import { useWords } from '../words/words.ts';
import { shellWords } from './words.ts';

/** Shown while a page's script loads. */
export function PendingPage() {
  const words = useWords(shellWords);
  return (
    <output style={{ display: 'block', padding: '1.25rem' }}>
      <Loader size="sm" aria-hidden="true" /> {words.loading}
    </output>
  );
}

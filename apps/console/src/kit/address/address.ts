import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Search } from './search.ts';

/** The texts behind the `?` of the page's address, and what changes some of them: undefined takes one out. */
export function useAddress(): [Search<string>, (change: Search<string>) => void] {
  const search: Search<string> = useSearch({ strict: false });
  const navigate = useNavigate();
  // The reader stays where they are: what they changed is there. The history is kept, so that the browser's back works.
  return [
    search,
    (change) => void navigate({ to: '.', search: { ...search, ...change } as never, resetScroll: false }),
  ];
}

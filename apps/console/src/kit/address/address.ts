import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Search } from './search.ts';

/** Returns the page's search parameters, and a function that changes some of them. Undefined removes one. */
export function useAddress(): [Search<string>, (change: Search<string>) => void] {
  const search: Search<string> = useSearch({ strict: false });
  const navigate = useNavigate();
  // Keeps the scroll position. Adds a history entry, so that the browser's Back button works.
  return [
    search,
    (change) => void navigate({ to: '.', search: { ...search, ...change } as never, resetScroll: false }),
  ];
}

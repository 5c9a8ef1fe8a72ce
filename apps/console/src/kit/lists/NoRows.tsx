import type { ReactNode } from 'react';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { useAddress } from '../address/address.ts';
import { Empty } from '../signs/Empty.tsx';

/** Address parameters that are not filters. */
const NO_FILTERS = ['cursor', 'tab', 'list'];

/**
 * The empty state of a list. If the address has filters, says that nothing matches; otherwise shows `title` and
 * `children`. `isMore`: only part of the entries were searched.
 */
export function NoRows({ isMore, title, children }: { isMore?: boolean; title: string; children: ReactNode }) {
  const words = useWords(kitWords);
  const [search] = useAddress();
  if (isMore === true) return <Empty title={words.nothingSoFar}>{words.nothingSoFarAdvice}</Empty>;
  const isFiltered = Object.keys(search).some((name) => !NO_FILTERS.includes(name));
  if (isFiltered) return <Empty title={words.nothingFiltered}>{words.nothingFilteredAdvice}</Empty>;
  return <Empty title={title}>{children}</Empty>;
}

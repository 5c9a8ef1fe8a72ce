import type { ReactNode } from 'react';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { useAddress } from '../address/address.ts';
import { Empty } from '../signs/Empty.tsx';

/** What an address may hold beside filters. */
const NO_FILTERS = ['cursor', 'tab', 'list'];

/**
 * What a list shows that has no rows: because of the filters in its address; or because there is nothing yet, as
 * `title` and `children` say. `isMore`: only the newest were looked at, and there are older ones.
 */
export function NoRows({ isMore, title, children }: { isMore?: boolean; title: string; children: ReactNode }) {
  const words = useWords(kitWords);
  const [search] = useAddress();
  if (isMore === true) return <Empty title={words.nothingSoFar}>{words.nothingSoFarAdvice}</Empty>;
  const isFiltered = Object.keys(search).some((name) => !NO_FILTERS.includes(name));
  if (isFiltered) return <Empty title={words.nothingFiltered}>{words.nothingFilteredAdvice}</Empty>;
  return <Empty title={title}>{children}</Empty>;
}

import type { OverviewSpan } from '@lockstep/contract/console';
import type { overviewWords } from './words.ts';

/** The periods of the overview, with the keys of their words. */
export const SPANS: Record<OverviewSpan, keyof typeof overviewWords.en> = {
  '1h': 'span1h',
  '6h': 'span6h',
  '24h': 'span24h',
  '7d': 'span7d',
  '14d': 'span14d',
};

const DEFAULT_SPAN: OverviewSpan = '6h';

/** Returns the period named in the address; 6 hours if there is none or it is unknown. */
export function readSpan(text: string | undefined): OverviewSpan {
  return text !== undefined && Object.hasOwn(SPANS, text) ? (text as OverviewSpan) : DEFAULT_SPAN;
}

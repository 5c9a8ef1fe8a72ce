import { type KnownState, stateWords } from '../../words/states.ts';
import { useWords } from '../../words/words.ts';
import { Badge, type Tone } from './Badge.tsx';

const TONES: Record<KnownState, Tone> = {
  accepted: 'busy',
  processing: 'busy',
  completed: 'good',
  pending: 'busy',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'neutral',
  active: 'good',
  inactive: 'neutral',
  revoked: 'neutral',
  locked: 'warn',
  enabled: 'good',
  disabled: 'bad',
  failing: 'warn',
  delivered: 'good',
  approved: 'good',
  suspended: 'warn',
  current: 'good',
  behind: 'warn',
  paused: 'warn',
};

/** A state as a colored badge. */
export function StateBadge({ state }: { state: KnownState }) {
  const words = useWords(stateWords);
  return <Badge tone={TONES[state]}>{words[state]}</Badge>;
}

/** The words of states, for the options of filters. */
export function useStateWords(): Record<KnownState, string> {
  return useWords(stateWords);
}

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
  enabled: 'good',
  disabled: 'bad',
  failing: 'warn',
  unsent: 'busy',
  delivered: 'good',
  unapproved: 'busy',
  approved: 'good',
  suspended: 'warn',
  current: 'good',
  behind: 'warn',
  paused: 'warn',
};

/** A state as a colored badge. `pending` names what a pending thing waits for. */
export function StateBadge({ state, pending = 'pending' }: { state: KnownState; pending?: KnownState }) {
  const words = useWords(stateWords);
  return <Badge tone={TONES[state]}>{words[state === 'pending' ? pending : state]}</Badge>;
}

/** The words of states, for the options of filters. */
export function useStateWords(): Record<KnownState, string> {
  return useWords(stateWords);
}

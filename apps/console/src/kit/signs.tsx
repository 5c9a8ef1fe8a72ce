import { Alert, EmptyState, Badge as MantineBadge } from '@mantine/core';
import type { ReactNode } from 'react';
import { type KnownState, stateWords } from '../words/codes.ts';
import { kitWords as words } from '../words/kit.ts';

/** The meaning of a badge, notice or figure. The words must say the same, for readers who can't see the color. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'neutral';

/** The color of each tone. */
export const COLORS = { good: 'green', bad: 'red', warn: 'yellow', busy: 'blue', neutral: 'gray' } as const;

/** A word on a colored background. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <MantineBadge component="span" color={COLORS[tone]} miw="max-content">
      {children}
    </MantineBadge>
  );
}

/** The states of each tone. The other states are neutral. */
const STATES: readonly (readonly [Tone, ...KnownState[]])[] = [
  ['good', 'completed', 'succeeded', 'active', 'enabled', 'delivered', 'approved', 'current'],
  ['busy', 'accepted', 'processing', 'pending', 'unsent', 'unapproved'],
  ['warn', 'failing', 'suspended', 'held', 'holding', 'behind', 'paused'],
  ['bad', 'failed', 'disabled'],
];

/** A state as a colored badge. `pending` names what a pending thing waits for. */
export function StateBadge({ state, pending = 'pending' }: { state: KnownState; pending?: KnownState }) {
  const [tone = 'neutral'] = STATES.find(([, ...states]) => states.includes(state)) ?? [];
  return <Badge tone={tone}>{stateWords[state === 'pending' ? pending : state]}</Badge>;
}

interface Message {
  title: ReactNode;
  children?: ReactNode;
}

/** A highlighted message: a title, and below it what to do. */
export function Notice({ tone, title, children }: Message & { tone: Tone }) {
  return (
    <Alert color={COLORS[tone]} title={title}>
      {children}
    </Alert>
  );
}

/** An empty state: what is missing, and what to do about it. */
export function Empty({ title, children }: Message) {
  return <EmptyState size="sm" py="xl" title={title} description={children} />;
}

/** Shows an outcome in a corner for a few seconds; screen readers read it out. */
export function announce(tone: Tone, message: string): void {
  const closeButtonProps = { 'aria-label': words.close };
  void import('@mantine/notifications').then(({ notifications }) =>
    notifications.show({ color: COLORS[tone], message, role: 'status', closeButtonProps }),
  );
}

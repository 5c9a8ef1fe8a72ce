import type { ApplicationId } from '@lockstep/contract';

/**
 * What is known of an endpoint: its last attempt was delivered promptly, or not, or there was none yet. The less, the
 * smaller its share: a message to an endpoint that answers late or never takes up to 15 seconds.
 */
export type Trust = 'trusted' | 'untried' | 'distrusted';

/** How soon an endpoint answers that takes its place from nobody, in milliseconds. */
export const PROMPT_MS = 2_000;
/** Messages that a worker sends at once to endpoints of this trust and less: to those of any trust 64. */
const AT_ONCE: Record<Trust, number> = { trusted: 64, untried: 48, distrusted: 32 };
/** Messages that are sent to one endpoint at once, by all workers. */
export const AT_ONCE_OF_ENDPOINT: Record<Trust, number> = { trusted: 2, untried: 1, distrusted: 1 };

/** Messages that a worker sends at once to all endpoints of one application whose last attempt failed. */
export const AT_ONCE_OF_FAILING = 4;

/** A message that a worker sends or could send, by what is known of its endpoint. */
export interface Turn {
  applicationId: ApplicationId;
  trust: Trust;
  /** Whether the last attempt at the endpoint failed. */
  isFailing: boolean;
}

const TRUSTS: readonly Trust[] = ['distrusted', 'untried', 'trusted'];

/** The trusts of which a worker can send one more message, while it sends messages to endpoints of these trusts. */
export function listFree(running: readonly Turn[]): Trust[] {
  return TRUSTS.filter((_, index) =>
    // One more of this trust is one more for those above it, too.
    TRUSTS.slice(index).every((above) => countUpTo(above, running) < AT_ONCE[above]),
  );
}

/** The applications that have as many messages on the way to failing endpoints as a worker sends there at once. */
export function listExhausted(running: readonly Turn[]): ApplicationId[] {
  const failing = running.filter(({ isFailing }) => isFailing);
  return [...Map.groupBy(failing, ({ applicationId }) => applicationId)]
    .filter(([, turns]) => turns.length >= AT_ONCE_OF_FAILING)
    .map(([applicationId]) => applicationId);
}

/** Chooses of what is ready, in its order, what a worker can send beside what it sends already. */
export function chooseTurns<Ready extends Turn>(ready: readonly Ready[], running: readonly Turn[]): Ready[] {
  const taken = [...running];
  return ready.filter((turn) => {
    const isFree =
      listFree(taken).includes(turn.trust) && !(turn.isFailing && listExhausted(taken).includes(turn.applicationId));
    if (isFree) taken.push(turn);
    return isFree;
  });
}

const countUpTo = (most: Trust, running: readonly Turn[]) =>
  running.filter(({ trust }) => TRUSTS.indexOf(trust) <= TRUSTS.indexOf(most)).length;

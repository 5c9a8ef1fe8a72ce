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

const TRUSTS: readonly Trust[] = ['distrusted', 'untried', 'trusted'];

/** The trusts of which a worker can send one more message, while it sends messages to endpoints of these trusts. */
export function listFree(running: readonly Trust[]): Trust[] {
  return TRUSTS.filter((_, index) =>
    // One more of this trust is one more for those above it, too.
    TRUSTS.slice(index).every((above) => countUpTo(above, running) < AT_ONCE[above]),
  );
}

/** Chooses of what is ready, in its order, what a worker can send beside what it sends already. */
export function chooseTurns<Ready extends { trust: Trust }>(
  ready: readonly Ready[],
  running: readonly Trust[],
): Ready[] {
  const taken = [...running];
  return ready.filter(({ trust }) => {
    const isFree = listFree(taken).includes(trust);
    if (isFree) taken.push(trust);
    return isFree;
  });
}

const countUpTo = (most: Trust, running: readonly Trust[]) =>
  running.filter((trust) => TRUSTS.indexOf(trust) <= TRUSTS.indexOf(most)).length;

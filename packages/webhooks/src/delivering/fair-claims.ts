import type { ApplicationId, WebhookId } from '@lockstep/contract';

/**
 * What is known of an endpoint: its last attempt was delivered promptly (trusted) or not (distrusted), or there was
 * none (untried). The less trust, the smaller its share, because a message to an endpoint that does not answer occupies
 * a slot for up to 15 seconds.
 */
export type Trust = 'trusted' | 'untried' | 'distrusted';

/** How many messages of one endpoint count towards the limits by trust. */
export const FIRST_OF_ENDPOINT = 2;
/** How many first messages a worker sends at once to endpoints of this trust or less. In all, 64. */
const AT_ONCE: Record<Trust, number> = { trusted: 64, untried: 48, distrusted: 32 };
export const MORE_AT_ONCE = 128;
export const AT_ONCE_OF_FAILING = 4;

/** A message that a worker sends or could send, and what is known of its endpoint. */
export interface Turn {
  applicationId: ApplicationId;
  webhookId: WebhookId;
  trust: Trust;
  isFailing: boolean;
}

const TRUSTS: readonly Trust[] = ['distrusted', 'untried', 'trusted'];

/** Returns the trusts to whose endpoints a worker can send another message besides `running`. */
export function listFree(running: readonly Turn[]): Trust[] {
  const { first, more } = share(running);
  return TRUSTS.filter((trust) => isFirstFree(trust, first) || (trust === 'trusted' && more < MORE_AT_ONCE));
}

/** Returns the applications that have reached the limit of messages in flight to failing endpoints. */
export function listExhausted(running: readonly Turn[]): ApplicationId[] {
  return [...countFailing(running)].flatMap(([id, count]) => (count >= AT_ONCE_OF_FAILING ? [id] : []));
}

/**
 * Chooses from the ready messages those that a worker can send besides `running`. Endpoints with fewer messages in
 * flight come first, otherwise the order of `ready` decides, so endpoints that want more share the rest evenly. The
 * first messages of an endpoint never wait because of other endpoints' further messages.
 */
export function chooseTurns<Ready extends Turn>(ready: readonly Ready[], running: readonly Turn[]): Ready[] {
  const onTheWay = countBy(running, ({ webhookId }) => webhookId);
  const ranked = ready.map((turn) => {
    const rank = onTheWay.get(turn.webhookId) ?? 0;
    onTheWay.set(turn.webhookId, rank + 1);
    return { turn, rank };
  });
  const { first, more: moreBefore } = share(running);
  const failing = countFailing(running);
  let more = moreBefore;
  const isTaken = ({ turn, rank }: { turn: Ready; rank: number }): boolean => {
    const { trust, applicationId, isFailing } = turn;
    const failingBefore = failing.get(applicationId) ?? 0;
    if (isFailing && failingBefore >= AT_ONCE_OF_FAILING) return false;
    if (rank < FIRST_OF_ENDPOINT) {
      if (!isFirstFree(trust, first)) return false;
      first.set(trust, (first.get(trust) ?? 0) + 1);
    } else {
      if (more >= MORE_AT_ONCE) return false;
      more++;
    }
    if (isFailing) failing.set(applicationId, failingBefore + 1);
    return true;
  };
  return ranked
    .toSorted((left, right) => left.rank - right.rank)
    .filter(isTaken)
    .map(({ turn }) => turn);
}

/** Counts how many messages are the first ones of their endpoints, by trust, and how many are beyond. */
function share(running: readonly Turn[]): { first: Map<Trust, number>; more: number } {
  const seen = new Map<WebhookId, number>();
  const first = running.filter(({ webhookId }) => {
    const before = seen.get(webhookId) ?? 0;
    seen.set(webhookId, before + 1);
    return before < FIRST_OF_ENDPOINT;
  });
  return { first: countBy(first, ({ trust }) => trust), more: running.length - first.length };
}

/** Whether another first message of this trust fits. It counts for each higher trust, too. */
function isFirstFree(trust: Trust, first: ReadonlyMap<Trust, number>): boolean {
  const upTo = (most: number) => TRUSTS.slice(0, most + 1).reduce((sum, each) => sum + (first.get(each) ?? 0), 0);
  return TRUSTS.every((above, index) => index < TRUSTS.indexOf(trust) || upTo(index) < AT_ONCE[above]);
}

/** Counts the messages to failing endpoints, by application. */
function countFailing(running: readonly Turn[]): Map<ApplicationId, number> {
  return countBy(
    running.filter(({ isFailing }) => isFailing),
    ({ applicationId }) => applicationId,
  );
}

function countBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, number> {
  return new Map([...Map.groupBy(items, keyOf)].map(([key, { length }]) => [key, length]));
}

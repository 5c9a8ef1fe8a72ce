import type { OperationId } from '@lockstep/contract';
import { type Cause, causes, retryOf } from '@lockstep/contract/causes';
import { repeatOf } from '@lockstep/contract/routes';
import { type Call, isSubmission, type Ledger, nameTask, type Run } from './record.ts';

/** What proves a finding: a call, or a message to a webhook. */
export interface Evidence {
  time: number;
  /** The operation, or the webhook and the message. */
  subject: string;
  requestId: string | null;
  detail: string;
}

/** What is wrong, and what the integrator should read. */
type Rule = readonly [says: string, read: string, find: (run: Run) => Evidence[]];

const INTEGRATING = 'docs/integrating.md';
const OUTCOMES = 'docs/outcomes.md';

/** What an integration can do wrong, worst first. A rule blames only what it can prove (rules 9). */
export const RULES = {
  bought_twice: [
    'A batch got no answer, and its content was submitted under another channelOrderId. Both took effect.',
    `${INTEGRATING}#resubmit`,
    findBoughtTwice,
  ],
  repeated_without_key: [
    'A call got no answer, and was repeated without the same Idempotency-Key. Both took effect.',
    `${INTEGRATING}#repeat-other-calls`,
    findRepeatedWithoutKey,
  ],
  body_changed: [
    'A batch got no answer, and other content was submitted under its channelOrderId.',
    `${INTEGRATING}#resubmit`,
    findBodyChanged,
  ],
  signature_unverified: [
    'A webhook accepted a message that it must refuse.',
    `${OUTCOMES}#receive-webhooks`,
    findUnverified,
  ],
  message_refused: [
    'A webhook refused a genuine message, or one that it had accepted before.',
    `${OUTCOMES}#receive-webhooks`,
    ({ ledger }) => ledger.messages.flatMap(findRefusedMessage),
  ],
  events_skipped: [
    'The event feed was read with after=latest again and again, which skipped events.',
    `${OUTCOMES}#follow-the-event-feed`,
    findEventsSkipped,
  ],
  refusal_ignored: [
    'A refused batch was taken for an accepted one: its result was polled. HTTP 299 is not a success.',
    `${INTEGRATING}#handle-answers`,
    findRefusalIgnored,
  ],
  outcome_ignored: [
    'An async order failed, and the outcome of no batch was ever read.',
    `${OUTCOMES}#choose-a-way`,
    findOutcomeIgnored,
  ],
  nonce_reused: ['A g_nonce was sent again after an answer.', `${INTEGRATING}#authenticate`, findNonceReused],
  final_retried: [
    'A refused call was repeated unchanged, although only a change can help.',
    `${INTEGRATING}#handle-answers`,
    findFinalRetried,
  ],
  retry_after_ignored: [
    'A call was repeated before the time in Retry-After.',
    `${INTEGRATING}#handle-answers`,
    findRetryAfterIgnored,
  ],
  no_backoff: [
    'Calls that failed twice in a row were repeated without a pause.',
    `${INTEGRATING}#handle-answers`,
    findNoBackoff,
  ],
  token_for_each_call: [
    'A new access token was requested for each call.',
    `${INTEGRATING}#authenticate`,
    findTokenForEachCall,
  ],
} satisfies Record<string, Rule>;

export interface Finding {
  rule: keyof typeof RULES;
  says: string;
  read: string;
  /** How often it happened. */
  count: number;
  /** The first incidents. */
  evidence: Evidence[];
}

const MAX_EVIDENCE = 5;

/** Returns what the integration did wrong, worst first. Pure. */
export function judge(run: Run): Finding[] {
  const ended = { ...run, calls: run.calls.filter(({ endTime }) => endTime > 0) };
  return (Object.entries(RULES) as [Finding['rule'], Rule][]).flatMap(([rule, [says, read, find]]) => {
    const found = find(ended);
    return found.length === 0
      ? []
      : [{ rule, says, read, count: found.length, evidence: found.slice(0, MAX_EVIDENCE) }];
  });
}

/** How long after a failure the same content counts as a repeat of it. */
const REPEAT_MS = 60_000;
/** How long a nonce is used up (rules 3). */
const NONCE_MS = 10 * 60_000;
/** Timers of clients may fire early. */
const OF_RETRY_AFTER = 0.9;
/** No backoff with jitter is always this short. */
const NO_PAUSE_MS = 20;

/** Refusals that no change of data ends. */
const FOR_GOOD: readonly string[] = [
  ...(['field_missing', 'field_invalid', 'field_misspelled', 'field_repeated', 'date_not_milliseconds'] as const),
  ...(['json_malformed', 'json_too_deep', 'list_too_long', 'sequence_repeated', 'asset_number_repeated'] as const),
  ...(['asset_number_shared', 'asset_without_items', 'merchandise_too_deep', 'batch_too_large'] as const),
  ...(['content_type_unsupported', 'src_license_order_required', 'channel_order_id_conflict'] as const),
] satisfies Cause[];
/** Operations from which an integration can learn what became of an async batch. */
const OF_OUTCOMES: readonly OperationId[] = [
  ...(['getBatchResult', 'getOrderResult', 'getEvents', 'listBatches', 'listOrders', 'getFailedOrders'] as const),
];
/** Refusals of a message that say nothing about its signature. */
const NO_VERDICT = [404, 408, 410, 429];
const PROBED = { forged: 'signed with another secret', altered: 'changed after it was signed', old: 'ten minutes old' };

const incident = ({ time, id, requestId }: Call, detail: string) => ({ time, subject: id, requestId, detail });
const ofMessage = (
  { webhookId, messageId }: { webhookId: string; messageId: string },
  time: number,
  detail: string,
): Evidence => ({ time, subject: `webhook ${webhookId}, message ${messageId}`, requestId: null, detail });

const isAccepted = ({ status }: { status: number | null }) => status !== null && status >= 200 && status <= 299;
const hasSucceeded = ({ answer }: Call) => answer?.code === 0;
const hasFailed = ({ answer }: Call) => answer !== null && (answer.status >= 500 || answer.code === '500');
const retryAfter = ({ answer }: Call) =>
  answer?.cause && Object.hasOwn(causes, answer.cause) ? retryOf(answer.cause as Cause) : undefined;
/** Whether the answer leaves open whether the call took effect (rules 1.2). */
const isUnclear = (call: Call) => call.answer === null || call.answer.status >= 500 || retryAfter(call) === 'unclear';

/** Returns each call with the one before it of the same name, if that had ended. Calls without a name have none. */
function pairs(calls: readonly Call[], nameOf: (call: Call) => string | null): { before: Call; call: Call }[] {
  const last = new Map<string, Call>();
  return calls.flatMap((call) => {
    const name = nameOf(call);
    const before = name === null ? undefined : last.get(name);
    if (name !== null) last.set(name, call);
    return before === undefined || call.time < before.endTime ? [] : [{ before, call }];
  });
}

function findBoughtTwice({ calls, ledger }: Run): Evidence[] {
  const stored = new Set(ledger.batches.map(({ batch }) => batch));
  const submissions = calls.filter((call) => isSubmission(call) && stored.has(call.batch!));
  const ofBatch = Map.groupBy(calls, ({ batch }) => batch);
  const reads = calls.filter((call) => OF_OUTCOMES.includes(call.id) && hasSucceeded(call));
  const told = Map.groupBy(ledger.messages, ({ batch }) => batch);
  return [...Map.groupBy(submissions, ({ orders }) => orders).values()].flatMap((alike) => {
    const batches = [...new Set(alike.map(({ batch }) => batch))].map((batch) => ofBatch.get(batch)!);
    return batches.slice(1).flatMap(([again], index) => {
      const attempts = batches[index]!;
      const last = attempts.at(-1)!;
      const isKnown =
        attempts.some(hasSucceeded) ||
        reads.some(({ endTime }) => endTime >= attempts[0]!.time && endTime <= again!.time) ||
        told.get(last.batch)?.some((message) => message.attempts.some(({ time }) => time <= again!.time));
      const isRepeat = again!.time >= last.endTime && again!.time <= last.endTime + REPEAT_MS;
      if (isKnown || !isRepeat || !attempts.some(isUnclear)) return [];
      return [incident(again!, `${again!.batch} repeats ${last.batch} (${last.requestId})`)];
    });
  });
}

function findRepeatedWithoutKey({ calls }: Run): Evidence[] {
  const keyed = calls.filter(({ id }) => repeatOf(id) === 'key');
  const byKey = Map.groupBy(keyed, ({ key }) => key);
  // An integration that repeats keys may have given up a call, and made the same one for another reason.
  const repeatsKeys = [...byKey].some(([key, { length }]) => key !== null && length > 1);
  return pairs(keyed, ({ content }) => content).flatMap(({ before, call }) => {
    const isLost = before.hasActed && isUnclear(before) && (before.key === null || !repeatsKeys);
    const isRepeat = call.hasActed && call.time - before.endTime <= REPEAT_MS;
    return isLost && isRepeat ? [incident(call, `repeats ${before.requestId}`)] : [];
  });
}

function findBodyChanged({ calls }: Run): Evidence[] {
  return pairs(calls.filter(isSubmission), ({ batch }) => batch).flatMap(({ before, call }) =>
    isUnclear(before) && call.answer?.cause === 'channel_order_id_conflict' ? [incident(call, call.batch!)] : [],
  );
}

function findNonceReused({ calls }: Run): Evidence[] {
  return pairs(calls, ({ nonce }) => nonce).flatMap(({ before, call }) =>
    // The HTTP library may have repeated a call whose connection was cut.
    (before.answer !== null || before.content !== call.content) && call.time - before.time < NONCE_MS
      ? [incident(call, `also in ${before.id} ${before.requestId}`)]
      : [],
  );
}

function findTokenForEachCall({ calls }: Run): Evidence[] {
  const byToken = Map.groupBy(calls, ({ token }) => token);
  const isWasted = ({ issued }: Call) => {
    const uses = byToken.get(issued) ?? [];
    return (
      new Set(uses.map(({ content }) => content)).size === 1 && uses.every((use) => retryAfter(use) !== 'new_token')
    );
  };
  const issues = calls.filter(({ issued }) => issued !== null);
  // Only the process that got the token before uses its connection again.
  const wasted = pairs(issues, ({ connection }) => String(connection)).filter(({ before }) => isWasted(before));
  if (wasted.length < 3) return [];
  return wasted.map(({ before, call }) => incident(call, `the token of ${before.requestId} was still valid`));
}

function findFinalRetried({ calls }: Run): Evidence[] {
  const repeats = pairs(calls, nameTask).filter(
    ({ before, call }) => FOR_GOOD.includes(before.answer?.cause ?? '') && call.time - before.endTime < REPEAT_MS,
  );
  // One repeat may be a person who tries again.
  return [...Map.groupBy(repeats, ({ call }) => call.content).values()].flatMap((all) =>
    all.length < 2 ? [] : [incident(all[0]!.call, `${all.length} repeats after ${all[0]!.before.answer!.cause}`)],
  );
}

function findRetryAfterIgnored({ calls }: Run): Evidence[] {
  const early = pairs(calls, nameTask).flatMap(({ before, call }) => {
    const [waitedMs, neededMs] = [call.time - before.endTime, before.answer?.retryAfterMs ?? 0];
    return waitedMs < OF_RETRY_AFTER * neededMs ? [incident(call, `${waitedMs} ms instead of ${neededMs} ms`)] : [];
  });
  // One may be another task that submits the same batch.
  return early.length < 2 ? [] : early;
}

function findNoBackoff({ calls }: Run): Evidence[] {
  const found = pairs(calls, nameTask);
  const repeated = new Set(found.filter(({ before }) => !hasSucceeded(before)).map(({ call }) => call));
  // The first repeat may follow at once. The HTTP library may repeat after a cut, but never after an answer.
  const again = found.filter(({ before }) => repeated.has(before) && hasFailed(before));
  const atOnce = again.filter(({ before, call }) => call.time - before.endTime < NO_PAUSE_MS);
  if (atOnce.length < 3 || atOnce.length < 0.75 * again.length) return [];
  return atOnce.map(({ before, call }) => incident(call, `after ${call.time - before.endTime} ms`));
}

function findRefusalIgnored({ calls }: Run): Evidence[] {
  return [...Map.groupBy(calls, ({ batch }) => batch)].flatMap(([batch, named]) => {
    const submissions = named.filter(isSubmission);
    const last = submissions.at(-1);
    // After a lost answer, an integration may look whether the batch is stored.
    if (batch === null || !FOR_GOOD.includes(last?.answer?.cause ?? '') || submissions.some(isUnclear)) return [];
    const polls = named.filter(
      ({ id, time, answer }) => id === 'getBatchResult' && time >= last!.endTime && answer?.cause === 'batch_not_found',
    );
    const [first] = polls;
    // One may be a person who looks.
    if (polls.length < 2 || polls[1]!.time - last!.endTime > REPEAT_MS) return [];
    return [incident(first!, `${batch} was refused with ${last!.answer!.cause} (${last!.requestId})`)];
  });
}

function findOutcomeIgnored({ calls, ledger }: Run): Evidence[] {
  const isRead = calls.some((call) => OF_OUTCOMES.includes(call.id) && hasSucceeded(call));
  if (isRead || ledger.messages.some(({ attempts }) => attempts.some(isAccepted))) return [];
  return ledger.batches.flatMap(({ batch, isAsync, completedTime, failed }) => {
    const submission = calls.find((call) => isSubmission(call) && call.batch === batch && hasSucceeded(call));
    if (!isAsync || failed === 0 || completedTime === null || submission === undefined) return [];
    // The integration went on for a while.
    const later = calls.filter(({ time }) => time > Math.max(completedTime, submission.endTime));
    const isOver = new Set(later.map(({ content }) => content)).size >= 5;
    return isOver ? [incident(submission, `${batch}: ${failed} failed`)] : [];
  });
}

function findEventsSkipped({ calls, ledger }: Run): Evidence[] {
  const reads = calls.filter(({ feed }) => feed !== null);
  const isRead = (position: number) => reads.some(({ feed }) => feed!.after < position && position <= feed!.last);
  const latest = reads.filter(({ feed }) => feed!.isLatest);
  return [...Map.groupBy(latest, ({ connection }) => connection).values()].flatMap((all) => {
    if (all.length < 3) return [];
    const [first, last] = [all[0]!, all.at(-1)!];
    const isBetween = (position: number) => position > first.feed!.last && position <= last.feed!.after;
    const skipped = ledger.positions.filter((position) => isBetween(position) && !isRead(position));
    return skipped.length === 0 ? [] : [incident(last, `events ${Math.min(...skipped)} to ${Math.max(...skipped)}`)];
  });
}

function findUnverified({ probes }: Run): Evidence[] {
  return probes
    .filter(isAccepted)
    .map((probe) => ofMessage(probe, probe.time, `${PROBED[probe.kind]}; answered ${probe.status}`));
}

function findRefusedMessage(message: Ledger['messages'][number]): Evidence[] {
  // A receiver may refuse messages for a while, so the last attempt counts.
  const { time, status } = message.attempts.at(-1)!;
  const isRefusal = status !== null && status >= 400 && status < 500 && !NO_VERDICT.includes(status);
  return isRefusal ? [ofMessage(message, time, `answered ${status}`)] : [];
}

import type { OperationId } from '@lockstep/contract';
import { type Cause, causes, retryOf } from '@lockstep/contract/causes';
import { repeatOf } from '@lockstep/contract/routes';
import { type Call, FAULTS, isSubmission, nameTask, type Run } from './record.ts';

/** What proves a finding: a call, or a message to a webhook. */
interface Evidence {
  time: number;
  /** The operation, or the webhook and the message. */
  subject: string;
  requestId: string | null;
  detail: string;
}

/** What is wrong, what the integrator should read, and what proves it. A string says what the run lacks to try it. */
type Rule = readonly [says: string, read: string, find: (run: Run) => Evidence[] | string];

const INTEGRATING = 'docs/integrating.md';
const OUTCOMES = 'docs/outcomes.md';

/** What an integration can do wrong, worst first. A rule blames only what it can prove (rules 9). */
export const RULES = {
  ordered_twice: [
    'A batch got no clear answer, and its orders were submitted again under another channelOrderId.',
    `${INTEGRATING}#resubmit`,
    findOrderedTwice,
  ],
  repeated_without_key: [
    'A call got no clear answer, and was repeated without the same Idempotency-Key. Both took effect.',
    `${INTEGRATING}#repeat-other-calls`,
    findRepeatedWithoutKey,
  ],
  body_changed: [
    'A batch got no clear answer, and other content was submitted under its channelOrderId.',
    `${INTEGRATING}#resubmit`,
    findBodyChanged,
  ],
  outcome_missed: [
    'An order of an async batch failed, and the integration went on without learning of it.',
    `${OUTCOMES}#choose-a-way`,
    findOutcomeMissed,
  ],
  signature_unverified: [
    'A webhook accepted a message that it must refuse.',
    `${OUTCOMES}#receive-webhooks`,
    findUnverified,
  ],
  message_refused: [
    'A webhook refused a genuine message, or one that it had accepted before.',
    `${OUTCOMES}#receive-webhooks`,
    findRefusedMessages,
  ],
  refusal_ignored: [
    'A refused batch was taken for an accepted one: its result was polled. HTTP 299 is not a success.',
    `${INTEGRATING}#handle-answers`,
    findRefusalIgnored,
  ],
  nonce_reused: ['A g_nonce was sent again after an answer.', `${INTEGRATING}#authenticate`, findNonceReused],
  final_retried: [
    'A refused call was repeated unchanged, although only a change can help.',
    `${INTEGRATING}#handle-answers`,
    findFinalRetried,
  ],
  no_backoff: [
    'Calls were repeated before the time in Retry-After, or at once after two failures in a row.',
    `${INTEGRATING}#handle-answers`,
    findNoBackoff,
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

/** Returns what the integration did wrong, worst first, and which rules the run did not try, and why. Pure. */
export function judge(run: Run): { findings: Finding[]; untried: string[] } {
  const ended = { ...run, calls: run.calls.filter(({ endTime }) => endTime > 0) };
  const findings: Finding[] = [];
  const untried: string[] = [];
  for (const [rule, [says, read, find]] of Object.entries(RULES) as [Finding['rule'], Rule][]) {
    const found = find(ended);
    const count = found.length;
    if (typeof found === 'string') untried.push(`${rule}: ${found}`);
    else if (count > 0) findings.push({ rule, says, read, count, evidence: found.slice(0, MAX_EVIDENCE) });
  }
  const lost = findLost(ended);
  if (lost.length > 0) untried.push(`to submit again what failed for a time and isn't stored: ${lost.join(', ')}`);
  return { findings, untried };
}

/** How long after a failure the same content counts as a repeat of it. */
const REPEAT_MS = 60_000;
/** How long a nonce is used up (rules 3). */
const NONCE_MS = 10 * 60_000;
/** Timers of clients may fire early. */
const OF_RETRY_AFTER = 0.9;
/** No backoff with jitter is always this short. */
const NO_PAUSE_MS = 20;
/** An integration that makes so many different calls went on. */
const WENT_ON_CALLS = 5;

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
const PROBED = { forged: 'signed with another secret', old: 'ten minutes old' };

const ofMessage = (subject: string, time: number, detail: string) => ({ time, subject, requestId: null, detail });
const incident = ({ time, id, requestId }: Call, detail: string) => ({ time, subject: id, requestId, detail });
/** Names a call, and what the sandbox did to it. */
const nameCall = ({ requestId, fault }: Call) => (fault === null ? requestId : `${requestId}: ${FAULTS[fault]}`);
const isAccepted = ({ status }: { status: number | null }) => status !== null && status >= 200 && status <= 299;
const hasSucceeded = ({ answer }: Call) => answer?.code === 0;
const hasFailed = ({ answer }: Call) => answer !== null && (answer.status >= 500 || answer.code === '500');
/** Whether the answer leaves open whether the call took effect (rules 1.2). */
function isUnclear({ answer }: Call): boolean {
  if (answer === null || answer.status >= 500) return true;
  return answer.cause !== null && Object.hasOwn(causes, answer.cause) && retryOf(answer.cause as Cause) === 'unclear';
}

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

const NOT_RESUBMITTED = 'no batch was submitted again after it got no clear answer';

/** Returns batches that took no effect, and were not submitted again by the end of the run. It may have been early. */
function findLost({ calls, ledger }: Run): string[] {
  const stored = new Set(ledger.batches.map(({ batch }) => batch));
  const last = new Map(calls.filter(isSubmission).map((call) => [call.batch!, call]));
  const isOpen = (call: Call) => isUnclear(call) || hasFailed(call);
  return [...last]
    .flatMap(([batch, call]) => (isOpen(call) && !stored.has(batch) ? [batch] : []))
    .slice(0, MAX_EVIDENCE);
}

function findOrderedTwice({ calls, ledger }: Run): Evidence[] | string {
  const stored = new Map(ledger.batches.map((each) => [each.batch, each]));
  const submissions = calls.filter((call) => isSubmission(call) && stored.has(call.batch!));
  const repeats = pairs(submissions, ({ orders }) => orders);
  if (!repeats.some(({ before }) => isUnclear(before))) return NOT_RESUBMITTED;
  // An integration that orders the same again after a success does so on purpose.
  if (repeats.some(({ before, call }) => hasSucceeded(before) && call.batch !== before.batch)) {
    return 'batches with the same orders were submitted on purpose; give each its own, such as other asset numbers';
  }
  const ofBatch = Map.groupBy(calls, ({ batch }) => batch);
  const reads = calls.filter((call) => OF_OUTCOMES.includes(call.id) && hasSucceeded(call));
  const told = Map.groupBy(ledger.messages, ({ batch }) => batch);
  return repeats.flatMap(({ before, call }) => {
    const attempts = ofBatch.get(before.batch)!;
    const unclear = attempts.find((each) => isSubmission(each) && isUnclear(each));
    const isKnown =
      attempts.some((each) => hasSucceeded(each) || each.time > call.time) ||
      reads.some(({ endTime }) => endTime >= attempts[0]!.time && endTime <= call.time) ||
      told.get(before.batch)?.some((message) => message.attempts.some(({ time }) => time <= call.time));
    const isRepeat = call.batch !== before.batch && call.time - before.endTime <= REPEAT_MS;
    if (isKnown || !isRepeat || unclear === undefined) return [];
    const count = [before, call].filter(({ batch }) => stored.get(batch!)!.succeeded > 0).length;
    const effect = `${['neither', 'only one', 'both'][count]} took effect by the end`;
    return [incident(call, `${call.batch} repeats ${before.batch} (${nameCall(unclear)}); ${effect}`)];
  });
}

function findRepeatedWithoutKey({ calls }: Run): Evidence[] | string {
  const keyed = calls.filter(({ id }) => repeatOf(id) === 'key');
  const acted = keyed.filter(({ hasActed }) => hasActed);
  const repeats = pairs(acted, ({ content }) => content).filter(({ before }) => isUnclear(before));
  if (repeats.length === 0) return 'no call that needs an Idempotency-Key was repeated after no clear answer';
  const byKey = Map.groupBy(keyed, ({ key }) => key);
  // An integration that repeats keys may have given up a call, and made the same one for another reason.
  const repeatsKeys = [...byKey].some(([key, { length }]) => key !== null && length > 1);
  return repeats.flatMap(({ before, call }) => {
    const isRepeat = (before.key === null || !repeatsKeys) && call.time - before.endTime <= REPEAT_MS;
    return isRepeat ? [incident(call, `repeats ${nameCall(before)}`)] : [];
  });
}

function findBodyChanged({ calls }: Run): Evidence[] | string {
  const isConflict = ({ answer }: Call) => answer?.cause === 'channel_order_id_conflict';
  const submissions = calls.filter(
    (call) => isSubmission(call) && (isUnclear(call) || hasSucceeded(call) || isConflict(call)),
  );
  const repeats = pairs(submissions, ({ batch }) => batch).filter(({ before }) => isUnclear(before));
  if (repeats.length === 0) return NOT_RESUBMITTED;
  return repeats.flatMap(({ before, call }) =>
    isConflict(call) ? [incident(call, `${call.batch} was submitted in ${nameCall(before)}`)] : [],
  );
}

function findOutcomeMissed({ calls, ledger }: Run): Evidence[] | string {
  const failed = ledger.batches.filter((each) => each.isAsync && each.failed > 0);
  if (failed.length === 0) return 'no order of an async batch failed; submit FAILED-1';
  const reads = calls.filter((call) => OF_OUTCOMES.includes(call.id) && hasSucceeded(call));
  const told = new Set(ledger.messages.map(({ batch }) => batch));
  return failed.flatMap(({ batch, completedTime, position }) => {
    const submission = calls.find((call) => isSubmission(call) && call.batch === batch && hasSucceeded(call));
    if (completedTime === null || position === null || submission === undefined || told.has(batch)) return [];
    const isKnown = reads.some(({ feed, batch: asked, endTime }) => {
      if (feed !== null) return feed.after < position && position <= feed.last;
      return asked === null ? endTime >= completedTime : asked === batch;
    });
    // It went on to later events, or reads nothing at all. Otherwise, it may have ended before it could read.
    const isSkipped = reads.some(({ feed }) => feed !== null && feed.after >= position);
    const later = calls.filter(({ time }) => time > Math.max(completedTime, submission.endTime));
    const wentOn = new Set(later.map(({ content }) => content)).size >= WENT_ON_CALLS;
    const isDeaf = reads.length === 0 && told.size === 0 && wentOn;
    const how = isSkipped ? `event ${position} was skipped` : 'no result, event or message was read';
    return isKnown || !(isSkipped || isDeaf) ? [] : [incident(submission, `${batch}: ${how}`)];
  });
}

function findUnverified({ probes }: Run): Evidence[] | string {
  if (probes.every(({ status }) => status === null)) return 'no webhook accepted a message of an event';
  return probes
    .filter(isAccepted)
    .map(({ kind, time, message, status }) => ofMessage(message, time, `${PROBED[kind]}; answered ${status}`));
}

function findRefusedMessages({ ledger: { messages } }: Run): Evidence[] | string {
  const isRepeated = messages.some(({ attempts }) => attempts.length > 1);
  const found = messages.flatMap(({ message, attempts }) => {
    // A receiver may refuse messages for a while, so the last attempt counts.
    const { time, status } = attempts.at(-1)!;
    const isRefusal = status !== null && status >= 400 && status < 500 && !NO_VERDICT.includes(status);
    return isRefusal ? [ofMessage(message, time, `answered ${status}`)] : [];
  });
  return found.length > 0 || isRepeated ? found : 'no message was sent to a webhook twice';
}

function findRefusalIgnored({ calls }: Run): Evidence[] | string {
  const isRefused = (call: Call) => call.answer?.status === 299 && !isUnclear(call);
  if (!calls.some((call) => isSubmission(call) && isRefused(call))) return 'no batch was refused; submit REFUSED-1';
  return [...Map.groupBy(calls, ({ batch }) => batch)].flatMap(([batch, named]) => {
    const submissions = named.filter(isSubmission);
    const last = submissions.at(-1);
    // After a lost answer, an integration may look whether the batch is stored.
    if (batch === null || last === undefined || !isRefused(last) || submissions.some(isUnclear)) return [];
    const [first, second] = named.filter(
      ({ id, time, answer }) => id === 'getBatchResult' && time >= last.endTime && answer?.cause === 'batch_not_found',
    );
    // One may be a person who looks.
    if (second === undefined || second.time - last.endTime > REPEAT_MS) return [];
    return [incident(first!, `${batch} was refused with ${last.answer!.cause} (${last.requestId})`)];
  });
}

function findNonceReused({ calls }: Run): Evidence[] | string {
  const isTried = pairs(calls, nameTask).some(({ before }) => hasFailed(before));
  const found = pairs(calls, ({ nonce }) => nonce).flatMap(({ before, call }) =>
    // The HTTP library may have repeated a call whose connection was cut.
    (before.answer !== null || before.content !== call.content) && call.time - before.time < NONCE_MS
      ? [incident(call, `also in ${before.id} ${nameCall(before)}`)]
      : [],
  );
  return found.length > 0 || isTried ? found : 'no call was repeated after an error';
}

function findFinalRetried({ calls }: Run): Evidence[] | string {
  const isForGood = ({ answer }: Call) => FOR_GOOD.includes(answer?.cause ?? '');
  if (!calls.some(isForGood)) return 'no call was refused for good; submit REFUSED-1';
  const repeats = pairs(calls, nameTask).filter(
    ({ before, call }) => isForGood(before) && call.time - before.endTime < REPEAT_MS,
  );
  // One repeat may be a person who tries again.
  return [...Map.groupBy(repeats, ({ call }) => call.content).values()].flatMap((all) =>
    all.length < 2 ? [] : [incident(all[0]!.call, `${all.length} repeats after ${all[0]!.before.answer!.cause}`)],
  );
}

function findNoBackoff({ calls }: Run): Evidence[] | string {
  const repeats = pairs(calls, nameTask).map(({ before, call }) => ({
    ...{ before, call, waitedMs: call.time - before.endTime, neededMs: before.answer?.retryAfterMs ?? 0 },
  }));
  const repeated = new Set(repeats.filter(({ before }) => !hasSucceeded(before)).map(({ call }) => call));
  // The first repeat may follow at once. The HTTP library may repeat after a cut, but never after an answer.
  const again = repeats.filter(({ before }) => repeated.has(before) && hasFailed(before));
  const atOnce = again.filter(({ waitedMs }) => waitedMs < NO_PAUSE_MS);
  const early = repeats.filter(({ waitedMs, neededMs }) => waitedMs < OF_RETRY_AFTER * neededMs);
  const found = new Set([
    // One may be another task that submits the same batch.
    ...(early.length < 2 ? [] : early),
    ...(atOnce.length < 3 || atOnce.length < 0.75 * again.length ? [] : atOnce),
  ]);
  if (found.size === 0 && again.length === 0) return 'no call was repeated after two failures in a row';
  return [...found].map(({ call, waitedMs, neededMs }) =>
    incident(call, `after ${waitedMs} ms${neededMs > 0 ? ` instead of ${neededMs} ms` : ''}`),
  );
}

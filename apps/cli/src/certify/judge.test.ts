import { describe, expect, it } from 'vitest';
import { judge, RULES } from './judge.ts';
import type { Call, Run } from './record.ts';

const OK = { status: 200, code: 0, cause: null, retryAfterMs: 0 };
const refusedBy = (cause: string, code = '13004', retryAfterMs = 0) => ({ status: 299, code, cause, retryAfterMs });
const GATEWAY = { status: 502, code: undefined, cause: null, retryAfterMs: 0 };
const BUSY = refusedBy('overloaded', '500', 1_000);

type Told = Partial<Call> & { at: number };
let nonces = 0;

/** Builds a run. Calls take 10 ms, and are submissions of one batch that succeed, each with a nonce of its own. */
function runOf(calls: Told[], ledger: Partial<Run['ledger']> = {}, probes: Run['probes'] = []): Run {
  return {
    calls: calls.map(({ at, ...changes }) => ({
      ...{ id: 'createBatchOrder', time: at, endTime: at + 10, content: 'A', key: null, requestId: `r${at}` },
      ...{ fault: null, hasActed: true, answer: OK, batch: 'web/A', orders: 'goods' },
      ...{ nonce: `n${++nonces}`, feed: null, ...changes },
    })),
    probes,
    ledger: { batches: [], messages: [], ...ledger },
  };
}

const batches = ['web/A', 'web/B'].map((batch, index) => ({
  ...{ batch, isAsync: true, completedTime: 50, succeeded: 1, failed: 1, position: index + 1 },
}));
const LOST = { at: 0, answer: null };
const B = { at: 100, batch: 'web/B', content: 'B' };
const O9 = { id: 'takeAssetNumbers', batch: null, orders: null } as const;
const POLL = { id: 'getBatchResult', content: 'poll', orders: null } as const;
const GONE = { ...POLL, hasActed: false, answer: refusedBy('batch_not_found') };
const REFUSED = { at: 0, hasActed: false, answer: refusedBy('field_missing') };
const message = (...statuses: (number | null)[]) => told('web/A', ...statuses);
const told = (batch: string, ...statuses: (number | null)[]) => {
  const attempts = statuses.map((status) => ({ time: 50, status }));
  return { messages: [{ message: 'webhook 1, message 7', batch, attempts }] };
};
const probed = (status: number | null) =>
  runOf([], {}, [{ kind: 'forged', time: 0, message: 'webhook 1, message 9', status }]);
const feed = (at: number, after: number, last: number) => ({
  ...POLL,
  id: 'getEvents' as const,
  batch: null,
  at,
  feed: { after, last },
});
const failing = (at: number, pauseMs: number) => {
  const content = `at ${at}`;
  const failed = { content, batch: content, hasActed: false };
  return [
    { ...failed, at, answer: null },
    { ...failed, at: at + 500, answer: GATEWAY },
    { ...failed, at: at + 510 + pauseMs, answer: OK },
  ];
};
const others = [...'12345'].map((name, index) => ({ at: 200 + index, ...O9, content: name }));

/** For each rule, runs that break it, and runs that are only alike. */
const CASES: Record<keyof typeof RULES, { wrong: Run[]; right: Record<string, Run> }> = {
  ordered_twice: {
    wrong: [runOf([LOST, B], { batches }), runOf([LOST, { at: 20, answer: BUSY }, B], { batches })],
    right: {
      'the batch was resubmitted': runOf([LOST, { at: 20 }, B], { batches }),
      'it is resubmitted later': runOf([LOST, B, { at: 200 }], { batches }),
      'its outcome was read': runOf([LOST, { ...POLL, at: 50 }, B], { batches }),
      'a webhook told of it': runOf([LOST, B], { batches, ...message(204) }),
      'it did not take effect': runOf([LOST, B], { batches: batches.slice(1) }),
      'the content is another': runOf([LOST, { ...B, orders: 'others' }], { batches }),
      'it orders the same on purpose': runOf([LOST, B, { at: 200, batch: 'web/C' }], {
        batches: [...batches, { ...batches[0]!, batch: 'web/C' }],
      }),
    },
  },
  repeated_without_key: {
    wrong: [
      runOf([
        { ...O9, ...LOST },
        { ...O9, at: 20 },
      ]),
      runOf([
        { ...O9, ...LOST, key: '1' },
        { ...O9, at: 20, key: '2' },
      ]),
    ],
    right: {
      'with the key': runOf([
        { ...O9, ...LOST, key: '1' },
        { ...O9, at: 20, key: '1' },
      ]),
      'another task, while others repeat theirs': runOf([
        ...[
          { ...O9, ...LOST, key: '1' },
          { ...O9, at: 20, key: '2' },
        ],
        ...[{ ...O9, at: 40, key: '2', content: 'C' }],
      ]),
      'the first had no effect': runOf([
        { ...O9, ...LOST, hasActed: false },
        { ...O9, at: 20 },
      ]),
    },
  },
  body_changed: {
    wrong: [runOf([LOST, { at: 20, content: 'B', answer: refusedBy('channel_order_id_conflict') }])],
    right: {
      'after an answer': runOf([{ at: 0 }, { at: 20, content: 'B', answer: refusedBy('channel_order_id_conflict') }]),
    },
  },
  signature_unverified: {
    wrong: [probed(200)],
    right: { refused: probed(401), away: probed(null) },
  },
  message_refused: {
    wrong: [runOf([], message(401)), runOf([], message(204, 409))],
    right: {
      'and accepted later': runOf([], message(401, 204)),
      'by a server that is broken': runOf([], message(500, null)),
      'by an address that ended': runOf([], message(410)),
    },
  },
  refusal_ignored: {
    wrong: [REFUSED, { at: 0, hasActed: false, answer: BUSY }].map((refused) =>
      runOf([refused, { ...GONE, at: 20 }, { ...GONE, at: 40 }]),
    ),
    right: {
      'one look': runOf([REFUSED, { ...GONE, at: 20 }]),
      'it is submitted again': runOf([REFUSED, { ...GONE, at: 20 }, { at: 40 }, { ...GONE, at: 60 }]),
      'after a lost answer': runOf([LOST, { ...REFUSED, at: 20 }, { ...GONE, at: 40 }, { ...GONE, at: 60 }]),
    },
  },
  outcome_missed: {
    wrong: [
      runOf([{ at: 0 }, ...others], { batches }),
      runOf([{ at: 0 }, feed(100, 1, 2)], { batches }),
      runOf([{ at: 0 }, feed(100, 1, 2)], { batches, ...told('web/B', 204) }),
    ],
    right: {
      'it ended soon': runOf([{ at: 0 }, ...others.slice(1)], { batches }),
      'it ended before it read': runOf([{ at: 0 }, B, ...others, { ...POLL, at: 300, batch: 'web/B' }], { batches }),
      'it polls': runOf([{ at: 0 }, ...others, { ...POLL, at: 300 }], { batches }),
      'it lists': runOf([{ at: 0 }, ...others, { ...POLL, id: 'listOrders', at: 300, batch: null }], { batches }),
      'it read the event': runOf([{ at: 0 }, feed(100, 1, 2), feed(200, 0, 1)], { batches }),
      'it got the message': runOf([{ at: 0 }, feed(100, 1, 2)], { batches, ...message(204) }),
      'all succeeded': runOf([{ at: 0 }, ...others], { batches: [{ ...batches[0]!, failed: 0 }] }),
    },
  },
  nonce_reused: {
    wrong: [
      runOf([
        { at: 0, nonce: 'n', answer: GATEWAY },
        { at: 20, nonce: 'n' },
      ]),
      runOf([
        { ...LOST, nonce: 'n' },
        { ...B, nonce: 'n' },
      ]),
    ],
    right: {
      'by an HTTP library, after a cut': runOf([
        { ...LOST, nonce: 'n' },
        { at: 20, nonce: 'n' },
      ]),
      'after ten minutes': runOf([
        { at: 0, nonce: 'n' },
        { at: 600_000, nonce: 'n' },
      ]),
    },
  },
  final_retried: {
    wrong: [runOf([REFUSED, { ...REFUSED, at: 2_000 }, { ...REFUSED, at: 4_000 }])],
    right: {
      once: runOf([REFUSED, { ...REFUSED, at: 2_000 }]),
      'for a cause that data ends': runOf([0, 20, 40].map((at) => ({ at, answer: refusedBy('customer_not_found') }))),
      'by different tasks': runOf([0, 20, 40].map((at) => ({ ...O9, at, answer: refusedBy('field_missing') }))),
    },
  },
  no_backoff: {
    wrong: [
      runOf([0, 2_000, 4_000].flatMap((at) => failing(at, 5))),
      runOf([{ at: 0, answer: BUSY }, { at: 500, answer: BUSY }, { at: 1_000 }]),
    ],
    right: {
      'twice is chance': runOf([0, 2_000].flatMap((at) => failing(at, 5))),
      'now and then, by jitter': runOf([5, 5, 5, 30, 90].flatMap((pauseMs, index) => failing(index * 2_000, pauseMs))),
      'once before the time': runOf([{ at: 0, answer: BUSY }, { at: 500 }]),
      'a timer a little early': runOf([0, 1_009, 2_018].map((at) => ({ at, answer: BUSY }))),
      'by different tasks': runOf([0, 20, 40].map((at) => ({ ...O9, at, answer: BUSY }))),
      'calls at the same time': runOf([0, 5, 8].map((at) => ({ at, answer: BUSY }))),
    },
  },
};

const judgedOf = (run: Run) => judge(run).findings.map((finding) => finding.rule);

describe.each(Object.entries(CASES))('%s', (rule, { wrong, right }) => {
  it('is found', () => {
    for (const run of wrong) expect(judgedOf(run)).toContain(rule);
  });

  it.each(Object.entries(right))('is not blamed: %s', (_, run) => {
    expect(judgedOf(run)).not.toContain(rule);
  });
});

it('a call that has not ended proves nothing', () => {
  expect(judge(runOf([{ ...LOST, endTime: 0 }, B], { batches })).findings).toEqual([]);
});

it('names each rule that a run did not try', () => {
  expect(judge(runOf([{ at: 0 }])).untried.map((each) => each.split(':')[0])).toEqual(Object.keys(RULES));
  const { untried } = judge(runOf([{ at: 0, answer: GATEWAY }, { at: 2_000, answer: GATEWAY }, { at: 4_000 }]));
  expect(untried.map((each) => each.split(':')[0])).not.toContain('no_backoff');
});

it('names batches that the integration has given up, or may submit later', () => {
  const run = runOf([{ at: 0, answer: BUSY }, B, { ...REFUSED, batch: 'web/C' }], { batches: batches.slice(1) });
  expect(judge(run).untried.at(-1)).toMatch(/: web\/A$/);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Answered, MOST_AT_ONCE, nextStanding, PROMPT_MS, QUICK_MS, type Standing } from './standing.ts';

const NEW: Standing = { atOnce: 1, isPrompt: null, failingSince: null };
const answered = fc.record({
  isDelivered: fc.boolean(),
  startedTime: fc.date({ min: new Date(0), max: new Date(1e12), noInvalidDate: true }),
  durationMs: fc.oneof(fc.nat(QUICK_MS), fc.nat(2 * PROMPT_MS)),
});
const after = (attempts: readonly Answered[], from = NEW) => attempts.reduce(nextStanding, from);
const quick = { isDelivered: true, startedTime: new Date(0), durationMs: QUICK_MS - 1 };

it('an endpoint may have 1 to 64 messages in flight, and at most one more after each attempt', () => {
  fc.assert(
    fc.property(fc.array(answered), answered, (attempts, last) => {
      const before = after(attempts);
      const { atOnce } = after([last], before);
      expect(atOnce).toBeGreaterThanOrEqual(1);
      expect(atOnce).toBeLessThanOrEqual(Math.min(before.atOnce + 1, MOST_AT_ONCE));
    }),
  );
});

it('a failure or a late response reduces the limit to one', () => {
  fc.assert(
    fc.property(fc.array(answered), answered, (attempts, last) => {
      fc.pre(!last.isDelivered || last.durationMs >= PROMPT_MS);
      expect(after([...attempts, last])).toMatchObject({ atOnce: 1, isPrompt: false });
    }),
  );
});

it('quick responses raise the limit to 64, and prompt ones keep it', () => {
  fc.assert(
    fc.property(fc.array(answered), (attempts) => {
      const before = after(attempts);
      expect(
        after(
          Array.from({ length: MOST_AT_ONCE }, () => quick),
          before,
        ).atOnce,
      ).toBe(MOST_AT_ONCE);
      expect(after([{ ...quick, durationMs: QUICK_MS }], before).atOnce).toBe(before.atOnce);
    }),
  );
});

it('an endpoint fails since the first failure after its last success', () => {
  fc.assert(
    fc.property(fc.array(answered), (attempts) => {
      const failed = attempts.slice(attempts.findLastIndex(({ isDelivered }) => isDelivered) + 1);
      const since = failed.length === 0 ? null : Math.min(...failed.map(({ startedTime }) => startedTime.getTime()));
      expect(after(attempts).failingSince?.getTime() ?? null).toBe(since);
    }),
  );
});

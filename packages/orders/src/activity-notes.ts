import { type RawBuilder, sql } from 'kysely';
import type { Outcome } from './outcome.ts';

// What orders were accepted and what became of them is noted for the console, one row a transaction: by the statement that
// accepts batches, the one that finishes chunks and the one that stores sync batches. count-activity.ts adds the rows up.

/** What a transaction did: how many orders it accepted, and what became of those that got their outcome. */
interface Activity {
  accepted: RawBuilder<unknown>;
  succeeded: RawBuilder<unknown>;
  failed: RawBuilder<unknown>;
  /** A JSON object of failed orders by cause. */
  causes: RawBuilder<unknown>;
}

const NOTHING: Activity = { accepted: sql`0`, succeeded: sql`0`, failed: sql`0`, causes: sql`'{}'::jsonb` };

/**
 * For a WITH clause of the statement that does it: an INSERT of a note about what it does, so that it is noted if it is
 * committed. `from` is what the counts are taken from; no row of it, no note.
 */
export function notingActivity(done: Partial<Activity>, from: RawBuilder<unknown> = sql``): RawBuilder<unknown> {
  const { accepted, succeeded, failed, causes } = { ...NOTHING, ...done };
  return sql`
    insert into uncounted_activity (accepted, succeeded, failed, causes)
    select ${accepted}, ${succeeded}, ${failed}, ${causes} ${from}`;
}

/** The note of orders that got their outcome in drains or were cancelled. */
export function notingOutcomes(outcomes: readonly Outcome[]): RawBuilder<unknown> {
  const causes: Record<string, number> = {};
  let failed = 0;
  for (const { failure } of outcomes) {
    if (failure === null) continue;
    failed++;
    causes[failure.cause] = (causes[failure.cause] ?? 0) + 1;
  }
  return notingActivity({
    succeeded: sql`${outcomes.length - failed}::int`,
    failed: sql`${failed}::int`,
    causes: sql`${JSON.stringify(causes)}::jsonb`,
  });
}
